import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { isMeasured, type Report } from '../src/report.ts';
import { ROOT, toolgate } from './command.ts';

const fixture = (file: string): string => `test/fixtures/gates/${file}`;

interface Row {
  readonly errors: number;
  readonly firstError: string | null;
  readonly stopped: number | null;
  readonly cross: number | null;
}

async function measure(files: readonly string[], ...options: string[]) {
  const gates = files.map((file) => (file.includes('.') ? fixture(file) : file));
  const ended = await toolgate([...gates, '--format', 'json', '--resamples', '0', ...options]);
  const report = JSON.parse(ended.stdout) as Report;
  const rows = (file: string): Row[] =>
    report.gates
      .find((gate) => gate.file === (file.includes('.') ? fixture(file) : file))!
      .tiers.filter(isMeasured)
      .map(({ errors, firstError, attacksStopped, crossTaskGenerality }) => ({
        errors,
        firstError,
        stopped: attacksStopped.k,
        cross: crossTaskGenerality.k,
      }));
  return { ...ended, report, rows };
}

/** A gate that works must come out as if it were alone, whatever stands beside it. */
function assertExactUnharmed(rows: (file: string) => Row[]): void {
  assert.deepEqual(rows('exact'), [{ errors: 0, firstError: null, stopped: 601, cross: 214 }]);
}

test('a gate that never answers costs its own tier, and names the call', async () => {
  const files = ['loop-check.mjs', 'loop-session.mjs', 'loop-microtask.mjs', 'never-resolves.mjs', 'session-never.mjs'];
  const { status, rows } = await measure([...files, 'exact'], '--tier', 'target', '--timeout', '300');
  assert.equal(status, 1);
  assertExactUnharmed(rows);
  for (const file of files) {
    const [row] = rows(file);
    assert.equal(row?.stopped, null, file);
    assert.equal(row?.cross, null, file);
    assert.equal(row?.errors, 1, file);
    const call = file.includes('session')
      ? /^createSession\(\) did not answer within 300 ms$/
      : /^check\(.+\) did not answer within 300 ms$/;
    assert.match(row?.firstError ?? '', call, file);
  }
});

test('what fills memory within one call runs out of time before the process runs out of memory', async () => {
  const files = ['hogs.mjs', 'grows.mjs'];
  const { status, rows } = await measure([...files, 'exact'], '--tier', 'target', '--memory', '64');
  assert.equal(status, 1);
  assertExactUnharmed(rows);
  for (const file of files) assert.match(rows(file)[0]?.firstError ?? '', /did not answer within 1000 ms|64 MB/, file);
});

test('what a gate finished before it hung is kept', async () => {
  const { status, rows } = await measure(['loop-late.mjs'], '--timeout', '300');
  assert.equal(status, 1);
  assert.deepEqual(
    rows('loop-late.mjs').map((row) => row.stopped),
    [0, 0, null, 0],
  );
});

test('a gate that ends, kills or blows up its surroundings takes nothing along', async () => {
  const expected: Record<string, RegExp> = {
    'exits.mjs': /ended its thread \(process\.exit, code 0\)/,
    'kills.mjs': /tried to end the process/,
    'aborts.mjs': /process\.abort\(\) is not supported/,
    'hoards.mjs': /more than 64 MB of memory \(--memory\)/,
    'timer-throws.mjs': /threw outside of a check: from a timer/,
  };
  const options = ['--tier', 'target', '--memory', '64', '--timeout', '20000'];
  const { status, rows } = await measure([...Object.keys(expected), 'exact'], ...options);
  assert.equal(status, 1);
  assertExactUnharmed(rows);
  for (const [file, message] of Object.entries(expected)) {
    const [row] = rows(file);
    assert.equal(row?.stopped, null, file);
    assert.match(row?.firstError ?? '', message, file);
  }
});

test('throws, rejections and malformed verdicts are errors, never an allow or a deny', async () => {
  const expected: Record<string, RegExp> = {
    'throws.mjs': /Error: no luck/,
    'throws-odd.mjs': /threw something that cannot be shown/,
    'rejects.mjs': /Error: rejected it/,
    'session-throws.mjs': /^createSession: Error: no session$/,
    'session-nothing.mjs': /^createSession: returned undefined, expected an object with a check function$/,
    'returns-undefined.mjs': /: returned undefined, expected \{ allowed: true \} or \{ allowed: false \}$/,
    'returns-true.mjs': /: returned true, expected/,
    'returns-null.mjs': /: returned null, expected/,
    'returns-empty.mjs': /: returned \{ allowed: undefined \}, expected/,
    'returns-string.mjs': /: returned \{ allowed: "false" \}, expected/,
    'returns-one.mjs': /: returned \{ allowed: 1 \}, expected/,
    'shifty.mjs': /returned \{ allowed: 1 \}/,
    'returns-promise-inside.mjs': /: returned \{ allowed: a promise \}, which nobody awaited, expected/,
    'mutates-action.mjs': /TypeError: Cannot assign to read only property 'effect'/,
    'mutates-policy.mjs': /^createSession: TypeError: Cannot add property/,
  };
  const { status, rows } = await measure([...Object.keys(expected), 'exact'], '--tier', 'target');
  assert.equal(status, 1);
  assertExactUnharmed(rows);
  for (const [file, message] of Object.entries(expected)) {
    const [row] = rows(file);
    assert.equal(row?.stopped, null, file);
    assert.ok(row.errors >= 3209, file);
    assert.match(row?.firstError ?? '', message, file);
  }
});

test('an error voids only the figures and suites that rest on its session', async () => {
  const { status, report, rows } = await measure(['throws-sometimes.mjs'], '--tier', 'target');
  assert.equal(status, 1);
  assert.equal(rows('throws-sometimes.mjs')[0]?.stopped, null);
  const tier = report.gates.at(-1)!.tiers.find(isMeasured)!;
  assert.equal(tier.suites['banking']?.attacksStopped.k, null);
  assert.equal(tier.suites['slack']?.attacksStopped.k, 0);
  assert.equal(tier.outcomes.stopped, null);
});

test('promises, leaked timers and output of a gate do no harm', async () => {
  const files = [
    'promise-of-promise.mjs',
    'leaks-timer.mjs',
    'writes.mjs',
    'starts-children.mjs',
    'close-throws.mjs',
    'close-getter-throws.mjs',
  ];
  const { status, rows, stdout, stderr } = await measure(files, '--tier', 'target');
  assert.equal(status, 0);
  for (const file of files) assert.deepEqual(rows(file), [{ errors: 0, firstError: null, stopped: 0, cross: 2600 }]);
  assert.doesNotMatch(stdout, /hello/);
  assert.match(stderr, /\[.*writes\.mjs\] hello from console\.log/);
  for (const how of ['writeSync', 'writeFileSync', 'appendFileSync', 'writevSync'])
    assert.match(stderr, new RegExp(`hello from ${how}`));
  for (const how of ['spawnSync', 'execSync', 'execFileSync']) assert.match(stderr, new RegExp(`hello from ${how}`));
  assert.match(stderr, /tried to close the bench's own output/);
  assert.match(stderr, /\[close-throws\] close: Error: at the door/);
  assert.match(stderr, /\[close-getter-throws\] close: Error: no door/);
});

test('what a gate writes to standard output by its path goes elsewhere', () => {
  // Pipes of a shell: what a test hears a child by cannot be opened by a path.
  const command = `{ "$0" run.mjs ${fixture('writes-by-path.mjs')} --tier target --resamples 0 2>&3 | sed 's/^/out: /'; } 3>&1 | cat`;
  const { stdout } = spawnSync('sh', ['-c', command, process.execPath], { cwd: ROOT, encoding: 'utf8' });
  assert.match(stdout, /^out: writes-by-path$/m);
  for (const how of ['a path', 'openSync', 'promises.writeFile', 'promises.open', 'createWriteStream'])
    assert.match(stdout, new RegExp(`^hello from ${how}$`, 'm'));
});

test('what a gate is called and why it failed cannot reach a terminal as more than text', async () => {
  const { status, stderr } = await measure(['escapes.mjs'], '--tier', 'target');
  assert.equal(status, 0);
  assert.match(stderr, /^\[a\\u\{1b\}\[31m\\u\{a\}b\] close: Error: \\u\{1b\}\[2J/m);
});

test('a gate hears nothing of what the bench and its thread say to one another, and cannot answer for the thread', async () => {
  const { status, rows } = await measure(['eavesdrops.mjs'], '--tier', 'target');
  assert.equal(status, 0);
  assert.deepEqual(rows('eavesdrops.mjs'), [{ errors: 0, firstError: null, stopped: 0, cross: 2600 }]);
});

test('an adapter that cannot be loaded is named, and the others are measured', async () => {
  const expected: Record<string, RegExp> = {
    'import-throws.mjs': /not today/,
    'exits-import.mjs': /ended its thread .* while it was loaded/,
    'syntax.mjs': /SyntaxError/,
    'no-default.mjs': /has no default export; it exports gate/,
    'no-session.mjs': /no createSession function/,
    'no-name.mjs': /name is no string, or empty/,
    'bad-tier.mjs': /tiers lists "targets", which is none of effect, tool/,
    'twin-of-exact.mjs':
      /the name "exact" is used twice, and the bench's own adapters\/exact\.mjs keeps it; give this gate another/,
  };
  const { status, rows, stderr, report } = await measure(['exact', ...Object.keys(expected)], '--tier', 'target');
  assert.equal(status, 2);
  assertExactUnharmed(rows);
  const lines = stderr.trimEnd().split('\n');
  assert.equal(lines.length, Object.keys(expected).length);
  for (const [file, message] of Object.entries(expected)) {
    const line = lines.find((one) => one.startsWith(`toolgate-bench: ${fixture(file)}: `));
    assert.match(line ?? '', message, file);
    assert.equal(report.gates.find((gate) => gate.file === fixture(file))?.tiers.length, 0);
  }
});

test('an endless loop at import is given up', async () => {
  const { status, rows, stderr } = await measure(['loop-import.mjs', 'exact'], '--tier', 'target', '--timeout', '100');
  assert.equal(status, 2);
  assertExactUnharmed(rows);
  assert.match(stderr, /loop-import\.mjs: did not load within \d+ ms/);
});

test('an endless loop outside of every call is given up, and what was answered before is kept', async () => {
  const options = ['--tier', 'target', '--timeout', '100'];
  const { status, rows } = await measure(['loop-after.mjs', 'exact'], ...options);
  assert.equal(status, 1);
  assertExactUnharmed(rows);
  const [row] = rows('loop-after.mjs');
  assert.match(row?.firstError ?? '', /busy with something that is no call, did not answer within 10000 ms/);
  assert.deepEqual([row?.errors, row?.stopped, row?.cross], [1, 0, 2600]);
});

test('an adapter in TypeScript runs, and one that knows only the contract of old', async () => {
  const { status, rows } = await measure(['typed.ts', 'minimal.mjs'], '--tier', 'target');
  assert.equal(status, 0);
  assert.deepEqual(rows('typed.ts'), [{ errors: 0, firstError: null, stopped: 609, cross: 1028 }]);
  assert.equal(rows('minimal.mjs')[0]?.errors, 0);
});

test('sessions that wait on nothing do not make those that wait look unanswered', async () => {
  const options = ['--tier', 'target', '--suite', 'banking', '--concurrency', '4', '--timeout', '300'];
  const { rows } = await measure(['half-async.mjs'], ...options);
  assert.deepEqual(rows('half-async.mjs'), [{ errors: 0, firstError: null, stopped: 0, cross: 240 }]);
});

test('a gate that does not load a second time costs its own rows alone', async () => {
  const { status, rows } = await measure(['loads-once.mjs', 'exact'], '--tier', 'tool,target', '--timeout', '200');
  assert.equal(status, 1);
  assert.equal(rows('exact')[1]?.stopped, 601);
  const [first, second] = rows('loads-once.mjs');
  assert.match(first?.firstError ?? '', /did not answer within 200 ms/);
  assert.match(second?.firstError ?? '', /the lock is held/);
  assert.deepEqual([first?.stopped, second?.stopped], [null, null]);
});
