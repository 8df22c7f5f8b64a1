import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, loadAdapter, policyOf, skipEngines, verdicts } from './engines-support.ts';

const policy = policyOf('origin', [{ effect: 'message', origins: ['user'] }]);
const action = call('send', 'message', ['a@x.com'], ['user']);

/** What the library itself knows of the target's origin: its record is one for the whole process. */
async function recordOf(target: string): Promise<unknown> {
  const { importEngine } = (await import(new URL('../adapters/lib/engine.mjs', import.meta.url).href)) as {
    readonly importEngine: (
      name: string,
      line: string,
    ) => Promise<{ module: { getProvenance(value: unknown): unknown } }>;
  };
  const { module } = await importEngine('@mondaydotcomorg/atp-provenance', '0.19');
  return module.getProvenance(target);
}

test('atp-provenance records the origin of a target for one check alone', { skip: skipEngines }, async () => {
  const { createGate } = await loadAdapter('atp-provenance');
  const during: unknown[] = [];
  const watching = createGate({
    decide: async () => {
      during.push(await recordOf('a@x.com'));
    },
  });
  assert.deepEqual(await verdicts(watching, policy, [action]), [true]);
  assert.equal((during[0] as { source: { type: string } }).source.type, 'user');
  assert.equal(await recordOf('a@x.com'), null);
});

test(
  'atp-provenance forgets it when the engine fails, and the failure is no verdict',
  { skip: skipEngines },
  async () => {
    const { createGate } = await loadAdapter('atp-provenance');
    const failing = createGate({
      decide: async () => {
        throw new TypeError('broken');
      },
    });
    await assert.rejects(verdicts(failing, policy, [action]), { name: 'TypeError', message: 'broken' });
    assert.equal(await recordOf('a@x.com'), null);
  },
);
