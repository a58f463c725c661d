// What the selector offers and says, and what choosing does: before there is a session, and in one.
import * as assert from 'node:assert/strict';
import { asksOf, Choices, type Choosing } from '../../../src/page/choices';
import type { Host } from '../../../src/page/conversation/host';
import type { Talk } from '../../../src/page/conversation/talk';

const agent = (name: string, more = {}) => ({ name, description: `what ${name} does`, readOnly: false, mode: 'primary', ...more });

function choices(session: { mode?: string; agent?: string } | null, sidecar: { mode?: string; trusted?: boolean } = {}) {
  const done: unknown[] = [];
  const wanted: { mode?: string; agent?: string } = {};
  const talk = { sessionId: session ? '1' : null, model: { session: session ?? {} }, wanted, want: (what: object) => { Object.assign(wanted, what); }, begin: async () => { done.push('begin'); return '2'; } };
  const host = { perform: async (action: unknown) => { done.push(action); } };
  let work: Promise<unknown> = Promise.resolve();
  const choosing = {
    sidecar: { state: 'running', trusted: true, ...sidecar, capabilities: { agents: [agent('build'), agent('plan'), agent('mine'), agent('look', { readOnly: true }), agent('explore', { mode: 'subagent' })] } },
    attempt: (w: () => Promise<unknown>) => { work = w(); }, begun: () => {},
  };
  const c = new Choices(host as unknown as Host, talk as unknown as Talk, choosing as unknown as Choosing);
  const choose = async (label: string) => { c.modes().find((m) => m.label === label)!.run(); await work; };
  return { c, done, wanted, choose };
}

suite('the selector', () => {
  test('offers four modes, each with its line, and own agents below one', () => {
    const { c } = choices({ mode: 'agent', agent: 'build' });
    assert.deepEqual(c.modes().map((m) => [m.label, !!m.apart, !!m.checked]), [['Ask', false, false], ['Edit', false, true], ['Plan', false, false], ['Full access', false, false], ['mine', true, false], ['look', false, false]]);
    for (const m of c.modes()) assert.ok(m.hint, m.label);
  });

  const shown: [{ mode?: string; agent?: string } | null, string | undefined, string][] = [
    [null, undefined, 'Edit'], [null, 'ask', 'Ask'], [null, 'agent', 'Edit'], [{ mode: 'ask', agent: 'build' }, 'agent', 'Ask'], [{ mode: 'agent', agent: 'plan' }, 'ask', 'Plan'],
    [{ mode: 'full_access', agent: 'build' }, undefined, 'Full access'], [{ mode: 'ask', agent: 'mine' }, undefined, 'mine'],
  ];
  for (const [session, mode, want] of shown) test(`of ${JSON.stringify(session)} is ${want}`, () => {
    const { c } = choices(session, { mode });
    assert.equal(c.mode.label, want);
    assert.deepEqual(c.modes().filter((m) => m.checked).map((m) => m.label), [want]);
  });

  test('before there is a session says what it begins in, and full access begins it', async () => {
    const { c, done, wanted, choose } = choices(null, { mode: 'ask' });
    await choose('Plan');
    assert.deepEqual([wanted, c.mode.label], [{ mode: 'agent', agent: 'plan' }, 'Plan']);
    await choose('Ask');
    await choose('mine');
    assert.deepEqual([wanted, c.mode.label, done], [{ mode: 'ask', agent: 'mine' }, 'mine', []]);
    await choose('Full access');
    assert.deepEqual(done, ['begin', { do: 'setMode', sessionId: '2', mode: 'full_access' }]);
  });

  test('in a session asks the editor, and not for what is there already', async () => {
    const { done, choose } = choices({ mode: 'agent', agent: 'build' });
    await choose('Edit');
    assert.deepEqual(done, []);
    for (const label of ['Ask', 'Plan', 'Full access', 'mine']) await choose(label);
    assert.deepEqual(done, [...['ask', 'plan', 'full_access'].map((mode) => ({ do: 'setMode', sessionId: '1', mode })), { do: 'setAgent', sessionId: '1', agent: 'mine' }]);
  });
});

suite('what is promised of questions', () => {
  test('is true of the folder and the mode', () => {
    assert.equal(asksOf(true, 'ask'), 'I ask before edits and commands, unless your rules allow them.');
    assert.match(asksOf(true, 'edit'), /^I edit files in this folder directly.* I ask before commands outside the sandbox/);
    assert.equal(asksOf(true, 'plan'), 'I read and plan. I change nothing.');
    assert.match(asksOf(false, 'full_access'), /without asking/);
    for (const mode of ['ask', 'edit'] as const) assert.equal(asksOf(false, mode), 'I ask before every edit, command and download.');
  });

  test('of an own agent is what its mode says, and nothing is changed by one that only reads', () => {
    assert.equal(choices({ mode: 'ask', agent: 'mine' }).c.asks, asksOf(true, 'ask'));
    assert.equal(choices({ mode: 'agent', agent: 'mine' }).c.asks, asksOf(true, 'edit'));
    assert.equal(choices({ mode: 'agent', agent: 'look' }).c.asks, asksOf(true, 'plan'));
    assert.equal(choices({ mode: 'later', agent: 'mine' }).c.asks, asksOf(true, 'ask'));
  });
});
