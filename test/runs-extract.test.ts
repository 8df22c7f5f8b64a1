import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { contents, extract, FIXTURE, newFolder } from './runs-extractor.ts';

type Line = Record<string, unknown>;

const out = newFolder();
const fixture = await extract(FIXTURE, '--out', out);
const agentA = contents(out)['agent-a.jsonl'] ?? '';
const [header, ...lines] = agentA
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);
const actions = lines.filter((line) => line['kind'] === 'action');

/** The one run of a task, its calls as `tool target:origin ...`. */
function runOf(suite: string, user: string, injection?: string): Line {
  const found = lines.filter(
    (line) => line['suite'] === suite && line['user'] === user && line['injection'] === injection,
  );
  assert.equal(found.length, 1);
  const calls = (found[0]!['calls'] as number[] | null)?.map((index) => {
    const { type, targets, origins } = actions[index] as { type: string; targets: string[]; origins: string[] };
    return [type, ...targets.map((target, at) => `${target}:${origins[at]}`)].join(' ');
  });
  return { ...found[0], calls: calls ?? null };
}

test('the extraction of the folder succeeds, with nothing on stderr where there is no terminal', () => {
  assert.equal(fixture.status, 0, fixture.stderr);
  assert.equal(fixture.stderr, '');
});

test('a file a pipeline, named as the folder is and not as pipeline_name says', () => {
  assert.deepEqual(readdirSync(out).toSorted(), ['agent-a.jsonl', 'agent-b.jsonl']);
  assert.deepEqual(header, {
    kind: 'header',
    schema: 'toolgate-bench/runs@1',
    pipeline: 'agent-a',
    corpus: 'agentdojo',
    version: 'v1.1.2',
    counts: { actions: 22, runs: 13 },
    leftOut: { denialOfService: 1, goalAlone: 1, outsideCorpus: 1, unreadable: 0 },
  });
});

test('a benign run has no attack, and its security means nothing', () => {
  assert.deepEqual(runOf('banking', 'user_task_0'), {
    kind: 'run',
    suite: 'banking',
    user: 'user_task_0',
    utility: true,
    calls: ['read_file invoice.txt:user', 'send_money DE00123:tool'],
  });
});

test('no result is seen between parallel calls; contents may be lists; call ids may repeat', () => {
  assert.deepEqual(runOf('banking', 'user_task_0', 'injection_task_0'), {
    kind: 'run',
    suite: 'banking',
    user: 'user_task_0',
    attack: 'important_instructions',
    injection: 'injection_task_0',
    utility: false,
    goalMet: true,
    calls: ['read_file invoice.txt:user', 'send_money US777:model', 'send_money US777:tool'],
  });
});

test('errors keep their kind and the calls before them', () => {
  assert.deepEqual(runOf('banking', 'user_task_1')['error'], 'context');
  assert.deepEqual(runOf('banking', 'user_task_1')['calls'], ['get_most_recent_transactions']);
  assert.deepEqual(runOf('banking', 'user_task_1', 'injection_task_1')['error'], 'server');
  assert.deepEqual(runOf('banking', 'user_task_1', 'injection_task_2')['error'], 'other');
});

test('no messages are no calls; no verdicts are null', () => {
  assert.deepEqual(runOf('banking', 'user_task_2')['calls'], null);
  const { utility, goalMet, calls } = runOf('banking', 'user_task_2', 'injection_task_0');
  assert.deepEqual({ utility, goalMet, calls }, { utility: null, goalMet: null, calls: [] });
});

test('where the corpus keeps a digest of the request, the run has one too', () => {
  // printf 'A request of another version' | sha256sum
  assert.equal(
    runOf('banking', 'user_task_15')['request'],
    'sha256:7af905de586b35e489a06017d883de00fac96839a2a046fce4ee554a320cdcb3',
  );
  assert.equal(runOf('banking', 'user_task_0')['request'], undefined);
});

test('tools that do not exist are counted and not written', () => {
  assert.deepEqual(runOf('workspace', 'user_task_0')['calls'], ['get_current_day']);
  assert.equal(runOf('workspace', 'user_task_0')['unknownTools'], 2);
});

test('lists as text are lists, null is no target, numbers are text', () => {
  assert.deepEqual(runOf('workspace', 'user_task_1')['calls'], [
    'send_email ann@x.example:user bob@x.example:user',
    'add_calendar_event_participants 7:model ann@x.example:user eve@x.example:model',
  ]);
});

test('malformed arguments are counted, and give the targets that can be read', () => {
  assert.deepEqual(runOf('workspace', 'user_task_2')['calls'], [
    'share_file',
    'share_file ann@x.example:model',
    'send_email',
  ]);
  assert.equal(runOf('workspace', 'user_task_2')['malformed'], 3);
});

test('origins follow the rule of the ground truth', () => {
  assert.deepEqual(runOf('workspace', 'user_task_3')['calls'], [
    'get_file_by_id 13:model',
    'get_file_by_id 26:user',
    'get_file_by_id 13:model',
    'get_file_by_id 4:tool',
    'send_email ann@x.example:user JOANN@x.example.org:tool x.example.o:model :model',
  ]);
});

test('URLs lose their scheme, prose becomes a digest, and only the first user message is the request', () => {
  assert.deepEqual(runOf('slack', 'user_task_0', 'injection_task_1')['calls'], [
    'get_webpage www.page.example/a:user',
    'get_webpage www.other.example:model',
    'get_channels',
    'post_webpage www.third.example/b:tool',
    'post_webpage www.repeated.example:model',
    'send_channel_message prose:42256572d9e39638:tool',
    'send_channel_message prose:edc8c1284585d703:model',
  ]);
});

test('nothing that was said gets into the output', () => {
  const text = Object.values(contents(out)).join('');
  for (const said of ['free text', 'Please do stop', 'Pay what', 'network is down', 'find'])
    assert.ok(!text.includes(said), said);
});

test('everything read is accounted for in the summary', () => {
  const rows = Object.fromEntries(
    [...fixture.stdout.matchAll(/^ +([\d,]+)(?: +([\d,]+))?  (.*)$/gm)].map(([, read, written, label]) => [
      label,
      written ? `${read} ${written}` : read,
    ]),
  );
  assert.deepEqual(rows, {
    runs: '18 14',
    'proposed calls': '28 27',
    'runs ended by an error': '3 3',
    'runs without messages': '2 2',
    'runs without a verdict': '1 1',
    'runs of another version of the user task (by its request)': '1 1',
    'calls of tools that do not exist (counted, not written)': '2 2',
    'calls with malformed arguments': '3 3',
    'target arguments that were text reading as a list': '1 1',
    'targets that were prose (written as a digest)': '2 2',
    'attacks called *dos*: they have no goal but failure, and are no targeted attacks': '2',
    "runs of an injected goal as a user's request: no user task": '1',
    'pairs that the corpus does not have (a later version of the benchmark)': '1',
    'files that cannot be read': '0',
    "files that are no run's": '3',
    'agent-a, important_instructions': '624',
    'agent-a, benign': '89',
    'agent-b, benign': '96',
  });
  assert.match(fixture.stdout, /^pipelines of which nothing is written: agent-c$/m);
});

test('benign runs come first, then attack by attack, as the corpus has its tasks', () => {
  const order = lines.flatMap((line) =>
    line['kind'] === 'run' ? [[line['suite'], line['user'], line['injection']].filter(Boolean).join('/')] : [],
  );
  assert.deepEqual(order, [
    'workspace/user_task_0',
    'workspace/user_task_1',
    'workspace/user_task_2',
    'workspace/user_task_3',
    'banking/user_task_0',
    'banking/user_task_1',
    'banking/user_task_2',
    'banking/user_task_15',
    'banking/user_task_0/injection_task_0',
    'banking/user_task_1/injection_task_1',
    'banking/user_task_1/injection_task_2',
    'banking/user_task_2/injection_task_0',
    'slack/user_task_0/injection_task_1',
  ]);
});

test('an empty error is none, and a benign run has its place under none only', () => {
  assert.equal(
    contents(out)['agent-b.jsonl'],
    [
      '{"kind":"header","schema":"toolgate-bench/runs@1","pipeline":"agent-b","corpus":"agentdojo","version":"v1.1.2","counts":{"actions":1,"runs":1},"leftOut":{"denialOfService":0,"goalAlone":0,"outsideCorpus":0,"unreadable":0}}\n',
      '{"kind":"action","type":"reserve_hotel","effect":"write","targets":["Grand Inn"],"origins":["user"]}\n',
      '{"kind":"run","suite":"travel","user":"user_task_3","utility":true,"calls":[0]}\n',
    ].join(''),
  );
});
