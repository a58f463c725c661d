// What the status bar and the restart after a crash know of the sessions.
import { strict as assert } from 'node:assert';
import type { AgentEvent } from '../../src/protocol';
import { Sessions } from '../../src/sidecar/activity';
import { plain } from '../../src/text/plain';
import { understood } from '../../src/settings/words';

const event = (type: string, data: unknown, more: object = {}) => ({ sessionId: '1', time: '', type, data, ...more }) as unknown as AgentEvent;

suite('sessions', () => {
  test('a run, its question and its end', () => {
    const s = new Sessions();
    s.add(event('session.opened', { title: 'T', mode: 'agent', agent: 'build' }));
    s.add(event('run.started', { kind: 'prompt' }, { runId: 'r1' }));
    assert.deepEqual(s.running(), ['1']);
    s.add(event('run.state', { state: 'tool_calling', detail: 'bash' }, { runId: 'r1' }));
    s.add(event('approval.requested', { approvalId: 'a' }, { agentPath: ['explore#1'] }));
    assert.equal(s.approvals, 1);
    assert.equal(s.get('1')!.detail, 'bash');
    s.add(event('approval.resolved', { approvalId: 'a' }));
    s.add(event('run.ended', { stopReason: 'end_turn' }, { runId: 'r1' }));
    assert.deepEqual([s.running(), s.approvals, s.get('1')!.state], [[], 0, '']);
  });

  test('the effort of the model is what the session said last, and nothing where it was cleared', () => {
    const s = new Sessions();
    s.learn({ id: '1', params: { temperature: 1, reasoningEffort: 'high' } });
    assert.equal(s.get('1')!.effort, 'high');
    s.add(event('session.changed', { title: 'U' }));
    assert.equal(s.get('1')!.effort, 'high');
    s.add(event('session.changed', { params: { reasoningEffort: 'low' } }));
    assert.equal(s.get('1')!.effort, 'low');
    s.add(event('session.changed', { params: {} }));
    assert.equal(s.get('1')!.effort, '');
    s.add(event('session.changed', { params: { reasoningEffort: 'low' } }));
    s.learn({ id: '1' });
    assert.equal(s.get('1')!.effort, '', 'a session says all of it');
  });

  test('the machine that it works on is the one that was said last', () => {
    const s = new Sessions();
    s.add(event('session.opened', { title: 'T', runtimeMode: 'local' }));
    assert.equal(s.get('1')!.runner, '');
    s.add(event('session.changed', { runtimeMode: 'cloud', runner: 'box' }));
    s.add(event('session.changed', { title: 'U' }));
    assert.equal(s.get('1')!.runner, 'box');
    s.processEnded();
    assert.equal(s.get('1')!.runner, 'box', 'the log has it');
    s.add(event('session.changed', { runtimeMode: 'local', runner: '' }));
    assert.equal(s.get('1')!.runner, '');
    s.learn({ id: '1', runtimeMode: 'cloud', runner: 'away' });
    assert.equal(s.get('1')!.runner, 'away');
    s.learn({ id: '1', runtimeMode: 'local' });
    assert.equal(s.get('1')!.runner, '');
  });

  test('a sub-agent’s run is not the session’s', () => {
    const s = new Sessions();
    s.add(event('run.started', {}, { runId: 'r1' }));
    s.add(event('run.ended', { stopReason: 'error' }, { runId: 'r2', agentPath: ['explore#1'] }));
    assert.deepEqual(s.running(), ['1']);
  });

  test('a prompt that waits keeps it busy; taken out of the queue, it does not end the run', () => {
    const s = new Sessions();
    s.add(event('run.started', {}, { runId: 'r1' }));
    for (const runId of ['r2', 'r3']) s.add(event('run.queued', { itemId: runId }, { runId }));
    s.add(event('run.ended', { stopReason: 'cancelled' }, { runId: 'r3' }));
    assert.deepEqual(s.running(), ['1']);
    s.add(event('run.ended', { stopReason: 'end_turn' }, { runId: 'r1' }));
    assert.deepEqual([s.running(), s.busy()], [[], true]);
    s.add(event('run.started', {}, { runId: 'r2' }));
    s.add(event('run.ended', { stopReason: 'end_turn' }, { runId: 'r2' }));
    assert.equal(s.busy(), false);
  });

  test('the end of the process ends runs, questions and full access', () => {
    const s = new Sessions();
    s.add(event('session.changed', { mode: 'full_access' }));
    s.add(event('run.started', {}, { runId: 'r1' }));
    s.add(event('approval.requested', { approvalId: 'a' }));
    assert.equal(s.get('1')!.mode, 'full_access');
    s.processEnded();
    assert.deepEqual([s.running(), s.approvals, s.get('1')!.mode], [[], 0, 'agent']);
  });

  test('the mode before full access is the one that comes back, and another one stays', () => {
    const s = new Sessions();
    s.add(event('session.opened', { mode: 'ask' }));
    s.processEnded();
    assert.equal(s.get('1')!.mode, 'ask');
    s.add(event('session.changed', { mode: 'full_access' }));
    s.add(event('session.changed', { title: 'T' }));
    s.processEnded();
    assert.equal(s.get('1')!.mode, 'ask');
  });

  test('events of another version change nothing', () => {
    const s = new Sessions();
    s.add({ sessionId: '1', time: '', type: 'something.new' } as unknown as AgentEvent);
    s.add(event('run.state', { state: 7 }));
    s.add(event('session.changed', { title: { not: 'text' } }));
    assert.deepEqual([s.get('1')!.state, s.get('1')!.title], ['', '']);
  });
});

suite('plain', () => {
  const rows: [string, string][] = [
    ['a\nb\u0007c', 'a b c'],
    ['[Allow](command:evil)', '[Allow] (command:evil)'],
    ['$(check) done', '$ (check) done'],
    ['abc\u202edcb', 'abc<U+202E>dcb'],
    ['x\u{e0041}', 'x<U+E0041>'],
    ['  words ', 'words'],
  ];
  for (const [given, want] of rows) test(JSON.stringify(given), () => assert.equal(plain(given), want));
  test('nothing that has no shape goes unseen', () => {
    for (const c of ['\u00ad', '\u034f', '\u115f', '\u17b4', '\u180e', '\u200b', '\u202e', '\u2066', '\u2800', '\u3164', '\ufeff', '\uffa0', '\ufffb', '\ud800', '\u{e0041}', '\u{e0100}']) {
      assert.match(plain(`a${c}b`), /^a<U\+[0-9A-F]{4,5}>b$/, c.codePointAt(0)!.toString(16));
    }
  });
  test('long text is cut between characters', () => assert.equal(plain('😀😀😀😀', 3), '😀😀…'));
});

suite('settings page', () => {
  test('only what the page shows can be written', () => {
    assert.deepEqual(understood({ type: 'set', id: 1, key: 'model', value: 'a/b', more: 1 }), { type: 'set', id: 1, key: 'model', value: 'a/b' });
    for (const bad of [
      null, 'set', {}, { type: 'set', id: 1, key: 'agents.runtime.permission.rules', value: 'x' }, { type: 'set', id: 1, key: 'providers.x.baseUrl', value: 'http://evil' },
      { type: 'set', id: 1, key: 'model', value: { a: 1 } }, { type: 'set', key: 'model', value: 'a' }, { type: 'reset', id: 1, key: 'hooks' }, { type: 'command', command: 'restart' }, { type: 'command', command: 'workbench.action.quit' },
    ]) assert.equal(understood(bad), undefined, JSON.stringify(bad));
  });
});
