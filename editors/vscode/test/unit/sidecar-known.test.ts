// Which models there are, while the configuration changes under a running process.
import { strict as assert } from 'node:assert';
import type { AgentCapabilities } from '../../src/protocol';
import { Known } from '../../src/sidecar/known';

const capabilities = (models: string[]) => ({ models, agents: [], sandbox: { level: 'none' }, methods: ['agent/config'] }) as unknown as AgentCapabilities;

suite('what a sidecar has said of itself', () => {
  test('a model that is written by hand is there, and gone when it is taken away', () => {
    const known = new Known();
    assert.equal(known.model, '');
    known.begin(capabilities([]));
    assert.equal(known.model, '');
    assert.ok(known.changed({ model: 'local/new', models: ['local/new', 'local/other'] }));
    assert.equal(known.model, 'local/new');
    assert.deepEqual(known.capabilities?.models, ['local/new', 'local/other']);
    assert.deepEqual(known.capabilities?.methods, ['agent/config'], 'the rest is as it was');
    assert.ok(known.changed({ model: '', models: [] }));
    assert.equal(known.model, '');
  });

  test('another process has its own', () => {
    const known = new Known();
    known.begin(capabilities(['a/b']));
    known.changed({ model: 'c/d', models: ['c/d'] });
    known.begin(capabilities(['e/f']));
    assert.equal(known.model, 'e/f');
    known.begin(undefined);
    assert.equal(known.model, '');
    assert.ok(!known.changed({ model: 'c/d', models: ['c/d'] }), 'a word of one that has ended');
    known.learned(capabilities(['c/d']));
    assert.equal(known.capabilities, undefined);
  });

  test('the mode of new sessions is that of the process that runs', () => {
    const known = new Known();
    known.modeIs('ask');
    assert.equal(known.mode, undefined, 'nobody has begun');
    known.begin(capabilities([]));
    known.modeIs('ask');
    assert.equal(known.mode, 'ask');
    known.modeIs(undefined); // an older sidecar has no such key
    assert.equal(known.mode, undefined);
    known.modeIs('ask');
    known.begin(capabilities([]));
    assert.equal(known.mode, undefined);
  });

  test('runners are those of the process that runs, and each as it was told last', () => {
    const known = new Known();
    const box = { name: 'box', state: 'not_reached' } as const;
    known.runnersAre([box]);
    assert.deepEqual(known.runners, [], 'nobody has begun');
    known.begin(capabilities([]));
    known.runnersAre(undefined); // an older sidecar
    assert.deepEqual(known.runners, []);
    known.runnersAre([{ name: 'away', state: 'not_reached' }, box]);
    assert.ok(known.runnerChanged({ name: 'box', state: 'reached', roundTripMs: 85 }));
    assert.deepEqual(known.runners, [{ name: 'away', state: 'not_reached' }, { name: 'box', state: 'reached', roundTripMs: 85 }]);
    assert.ok(!known.runnerChanged({ name: 'new', state: 'reached' }), 'it has to be asked for');
    assert.equal(known.runners.length, 2);
    known.begin(capabilities([]));
    assert.deepEqual(known.runners, []);
  });

  test('what was asked for counts, too: an older sidecar tells of no change', () => {
    const known = new Known();
    known.begin(capabilities([]));
    known.learned({ ...capabilities(['a/b']), agents: [{ name: 'mine', description: '', readOnly: false, mode: 'primary' }] });
    assert.equal(known.model, 'a/b');
    assert.equal(known.capabilities?.agents[0]?.name, 'mine');
  });
});
