// The four modes and own agents, and what a session keeps of them.
import * as assert from 'node:assert/strict';
import { changeTo, changeToAgent, modeAlone, modeOf, modes, ownAgents } from '../../src/modes';

suite('the mode of a session', () => {
  const rows: [string | undefined, string | undefined, string | undefined][] = [
    ['ask', 'build', 'ask'], ['agent', 'build', 'edit'], ['agent', 'plan', 'plan'], ['ask', 'plan', 'plan'],
    ['full_access', 'build', 'full_access'], ['full_access', 'plan', 'full_access'], ['full_access', 'mine', 'full_access'],
    ['agent', 'mine', undefined], ['ask', 'mine', undefined],
    [undefined, undefined, 'edit'], ['', '', 'edit'], ['ask', undefined, 'ask'], [undefined, 'plan', 'plan'],
    ['reckless', 'build', 'ask'], ['toString', 'build', 'ask'],
  ];
  for (const [mode, agent, want] of rows) test(`${mode} ${agent}`, () => assert.equal(modeOf({ mode, agent }), want));

  test('is the one that was chosen', () => {
    for (const name of modes) assert.equal(modeOf(changeTo(name)), name);
    assert.deepEqual(modes.map(changeTo), [{ mode: 'ask', agent: 'build' }, { mode: 'agent', agent: 'build' }, { mode: 'agent', agent: 'plan' }, { mode: 'full_access', agent: 'build' }]);
  });

  test('without its agent is what it asks', () => assert.deepEqual(['ask', 'agent', 'full_access', undefined, 'later'].map(modeAlone), ['ask', 'edit', 'full_access', 'edit', 'ask']));
});

suite('an own agent', () => {
  test('asks as before, and full access is not kept for it', () => {
    assert.deepEqual(changeToAgent('mine', 'ask'), { agent: 'mine' });
    assert.deepEqual(changeToAgent('mine', 'agent'), { agent: 'mine' });
    assert.deepEqual(changeToAgent('mine', undefined), { agent: 'mine' });
    assert.deepEqual(changeToAgent('mine', 'full_access'), { agent: 'mine', mode: null });
  });

  test('is a primary one that is behind none of the modes', () => {
    const agent = (name: string, mode: 'primary' | 'subagent') => ({ name, description: '', readOnly: false, mode });
    assert.deepEqual(ownAgents([agent('build', 'primary'), agent('plan', 'primary'), agent('explore', 'subagent'), agent('mine', 'primary')]).map((a) => a.name), ['mine']);
  });
});
