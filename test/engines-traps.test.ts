// What the engines do that an adapter must not be caught by, on the engines themselves: docs/engines.md tells of each.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { skipEngines } from './engines-support.ts';

type Module = any;

async function load(name: string, line: string, entry?: string): Promise<Module> {
  const { importEngine } = await import(new URL('../adapters/lib/engine.mjs', import.meta.url).href);
  return (await importEngine(name, line, entry)).module;
}

test('Cedar skips a forbid that fails, and allows', { skip: skipEngines }, async () => {
  const cedar = await load('@cedar-policy/cedar-wasm', '4', './nodejs');
  const { response } = cedar.isAuthorized({
    principal: { type: 'A', id: '' },
    action: { type: 'Action', id: '' },
    resource: { type: 'R', id: '' },
    context: {},
    entities: [],
    policies: {
      staticPolicies:
        'permit(principal, action, resource); forbid(principal, action, resource) when { context.missing };',
    },
  });
  assert.equal(response.decision, 'allow');
  assert.equal(response.diagnostics.errors.length, 1);
});

test('Cedar and OPA fail on half of a surrogate pair', { skip: skipEngines }, async () => {
  const cedar = await load('@cedar-policy/cedar-wasm', '4', './nodejs');
  assert.throws(() => cedar.checkParseContext({ context: { text: '\ud800' } }), /of hex escape|in hex escape/);
  const opa = await load('@open-policy-agent/opa-wasm', '1');
  const gate = opa.default.loadPolicySync(readFileSync(new URL('../adapters/opa/gate.wasm', import.meta.url)));
  const input = { effect: 'write', tool: 'save', targets: ['\ud800'], origins: [], calls: 0, egress: -1 };
  assert.throws(
    () => gate.evaluate(input),
    (thrown) => thrown === 'illegal string escape character',
  );
});

test(
  'CASL: a type alone ignores conditions, one of many targets is enough, all is everything',
  {
    skip: skipEngines,
  },
  async () => {
    const casl = await load('@casl/ability', '7');
    const rule = { action: 'message', subject: 'send', conditions: { target: { $in: ['a'] } } };
    const ability = casl.createMongoAbility([rule]);
    assert.equal(ability.can('message', 'send'), true);
    assert.equal(ability.can('message', casl.subject('send', { target: ['a', 'b'] })), true);
    assert.equal(ability.can('message', casl.subject('send', { target: 'b' })), false);
    assert.equal(casl.createMongoAbility([{ action: 'message', subject: 'all' }]).can('message', 'send'), true);
    assert.equal(casl.createMongoAbility([{ action: 'manage', subject: 'send' }]).can('message', 'send'), true);
  },
);

test(
  'Casbin without policies allows an empty request; its patterns match more than themselves',
  {
    skip: skipEngines,
  },
  async () => {
    const casbin = await load('casbin', '5');
    const model = (matcher: string): unknown =>
      casbin.newModelFromString(
        `[request_definition]\nr = target\n[policy_definition]\np = target\n[policy_effect]\ne = some(where (p.eft == allow))\n[matchers]\nm = ${matcher}`,
      );
    const empty = await casbin.newEnforcer(model('r.target == p.target'));
    assert.deepEqual([empty.enforceSync(''), empty.enforceSync('a')], [true, false]);

    const leaks = [
      ['keyMatch2', 'good.com/:id', 'good.com/evil'],
      ['regexMatch', 'good.com', 'good.com.evil.com'],
      ['globMatch', 'a?c', 'abc'],
    ] as const;
    for (const [name, literal, other] of leaks) {
      const enforcer = await casbin.newEnforcer(model(`${name}(r.target, p.target)`));
      await enforcer.addPolicy(literal);
      assert.equal(enforcer.enforceSync(other), true, name);
    }
  },
);

test('CEL: an integer of JavaScript is a double', { skip: skipEngines }, async () => {
  const cel = await load('@marcbachmann/cel-js', '8');
  assert.equal(cel.evaluate('type(n) == double', { n: 1 }), true);
  assert.equal(cel.evaluate('type(n) == int', { n: 1n }), true);
});

test('JSON Logic: in on a text is a search for a part', { skip: skipEngines }, async () => {
  const { LogicEngine } = await load('json-logic-engine', '5');
  assert.equal(new LogicEngine().run({ in: ['a', { var: 'listed' }] }, { listed: 'abc' }), true);
  assert.equal(new LogicEngine().run({ all: [{ var: 'none' }, { in: [{ var: '' }, ['a']] }] }, { none: [] }), false);
});

test(
  'Agent Governance: a quote ends a text condition, 0/day lets one call through, a rule without a name has no limit',
  {
    skip: skipEngines,
  },
  async () => {
    const { PolicyEngine } = await load('@microsoft/agent-governance-sdk', '4');
    const engineOf = (rule: object): Module => {
      const engine = new PolicyEngine();
      engine.loadPolicy({ name: 'p', rules: [{ name: 'r', ruleAction: 'allow', ...rule }], default_action: 'deny' });
      return (call: object): boolean => engine.evaluatePolicy('agent', call).allowed;
    };
    const literal = "a' or target != 'a";
    const byText = engineOf({ condition: `target == '${literal}'` });
    assert.equal(byText({ target: 'evil' }), true);
    const byObject = engineOf({ condition: { target: literal } });
    assert.deepEqual([byObject({ target: 'evil' }), byObject({ target: literal })], [false, true]);

    const never = engineOf({ limit: '0/day' });
    assert.deepEqual([never({}), never({})], [true, false]);
    const nameless = engineOf({ name: '', limit: '1/day' });
    assert.deepEqual([nameless({}), nameless({})], [true, true]);
  },
);

test(
  'ATP provenance allows what nothing blocks, and reads a tool name as a regular expression',
  {
    skip: skipEngines,
  },
  async () => {
    const atp = await load('@mondaydotcomorg/atp-provenance', '0.19');
    const quiet = { debug() {}, info() {}, warn() {}, error() {} };
    const scoped = atp.createDeclarativePolicy({
      id: 'p',
      scope: { toolName: 'send.*' },
      rules: [{ action: 'block', conditions: [] }],
    });
    const check = async (tool: string): Promise<boolean> =>
      new atp.SecurityPolicyEngine([scoped], quiet).checkTool(tool, 'group', {}).then(
        () => true,
        () => false,
      );
    assert.deepEqual([await check('read'), await check('send.*'), await check('send_money')], [true, false, false]);
  },
);

test('Vard takes a long text for a threat', { skip: skipEngines }, async () => {
  const { default: vard } = await load('@andersmyrmel/vard', '1');
  assert.deepEqual([vard.safe('x'.repeat(10_000)).safe, vard.safe('x'.repeat(10_001)).safe], [true, false]);
});
