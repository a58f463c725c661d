// The fold of a session's events: what the page shows of each, in whatever order and
// however often it comes.
import * as assert from 'node:assert/strict';
import { byFile } from '../../../src/page/conversation/fold';
import { SessionLog } from '../../../src/page/conversation/log';
import type { CallRow, Model, Row } from '../../../src/page/conversation/model';
import { statusOf } from '../../../src/page/bars';
import type { AgentEvent, FileChange } from '../../../src/protocol';

type Loose = { type: string; data?: unknown; seq?: number; afterSeq?: number; subSeq?: number; agentPath?: string[]; parentCallId?: string; runId?: string };
const ev = (e: Loose): AgentEvent => ({ sessionId: 's', time: '2026-01-01T00:00:00.000Z', runId: 'r1', data: {}, ...e }) as unknown as AgentEvent;
const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, context: { used: 10, window: 100, percent: 10, generation: 0 } };

/** A run: a prompt, a thought, a call that is asked about, a sub-agent, an answer. */
function run(): AgentEvent[] {
  let seq = 0;
  let sub = 0;
  const own = (type: string, data: unknown) => ev({ type, data, seq: ++seq });
  const live = (type: string, data: unknown) => ev({ type, data, afterSeq: seq });
  const child = (type: string, data: unknown) => ev({ type, data, afterSeq: seq, subSeq: ++sub, agentPath: ['explore#1'], parentCallId: 'c2', runId: 's.1-r1' });
  const childLive = (type: string, data: unknown) => ev({ type, data, afterSeq: seq, agentPath: ['explore#1'], parentCallId: 'c2', runId: 's.1-r1' });
  return [
    own('session.opened', { version: 1, key: 'k', workspaceUri: 'file:///w', agent: 'build', mode: 'agent', runtimeMode: 'local' }),
    own('run.started', { prompt: [{ type: 'text', text: 'Do it.' }], agent: 'build', model: 'm', kind: 'prompt' }),
    live('run.state', { state: 'thinking', iteration: 1 }),
    live('reasoning.delta', { messageId: 'm1', text: 'Hm. ' }),
    live('message.delta', { messageId: 'm1', text: 'I run ' }),
    live('message.delta', { messageId: 'm1', text: 'it.' }),
    live('tool.input', { callId: 'c1', tool: 'bash', text: '{"comm' }),
    own('message.assistant', { messageId: 'm1', text: 'I run it.', reasoning: 'Hm. ', model: 'm', calls: [{ callId: 'c1', tool: 'bash', input: { command: 'ls' } }] }),
    own('tool.requested', { callId: 'c1', tool: 'bash', input: { command: 'ls' }, title: 'bash: ls' }),
    own('approval.requested', { approvalId: 'a1', sessionId: 's', runId: 'r1', callId: 'c1', agentPath: [], title: 'bash: ls', reason: 'x', risk: 'execute', domain: 'bash', targets: [], tool: 'bash', input: {}, rule: {}, always: [], decisions: ['once', 'reject'], digest: 'd' }),
    live('run.state', { state: 'waiting_approval', iteration: 1 }),
    own('approval.resolved', { approvalId: 'a1', callId: 'c1', decision: 'once', by: 'client' }),
    own('tool.decided', { callId: 'c1', decision: 'allow', rule: '', source: '', by: 'client', answer: 'once' }),
    live('run.state', { state: 'tool_calling', detail: 'bash', iteration: 1 }),
    live('tool.output', { callId: 'c1', stream: 'stdout', text: 'a.txt\n' }),
    own('tool.returned', { callId: 'c1', tool: 'bash', status: 'completed', text: 'a.txt', exitCode: 0, durationMs: 5 }),
    own('message.assistant', { messageId: 'm2', text: '', model: 'm', calls: [{ callId: 'c2', tool: 'task', input: {} }] }),
    own('tool.requested', { callId: 'c2', tool: 'task', input: { agent: 'explore' }, title: 'task: explore' }),
    own('tool.decided', { callId: 'c2', decision: 'allow', rule: '', source: '', by: 'default' }),
    own('subagent.started', { agent: 'explore', callId: 'c2', path: 'explore#1', prompt: 'Look.' }),
    child('session.opened', { version: 1, agent: 'explore', mode: 'agent' }),
    child('run.started', { prompt: [{ type: 'text', text: 'Look.' }], agent: 'explore', model: 'm', kind: 'prompt' }),
    childLive('message.delta', { messageId: 'e1', text: 'Found ' }),
    child('tool.requested', { callId: 'e9', tool: 'read', input: { path: 'a' }, title: 'read a' }),
    child('tool.returned', { callId: 'e9', tool: 'read', status: 'completed', text: '1: x', durationMs: 1 }),
    childLive('message.delta', { messageId: 'e1', text: 'it.' }),
    child('message.assistant', { messageId: 'e1', text: 'Found it.', model: 'm' }),
    child('run.ended', { stopReason: 'end_turn', usage, changes: [] }),
    own('subagent.ended', { callId: 'c2', path: 'explore#1', status: 'completed', usage, calls: 1, citations: { ok: 1, bad: 0 } }),
    own('tool.returned', { callId: 'c2', tool: 'task', status: 'completed', text: 'Found it.', durationMs: 9 }),
    own('plan.updated', { items: [{ id: '1', text: 'Look', status: 'completed' }] }),
    own('message.assistant', { messageId: 'm3', text: 'Done.', model: 'm' }),
    live('usage', usage),
    live('run.state', { state: 'finished', iteration: 3 }),
    own('run.ended', { stopReason: 'end_turn', usage, changes: [{ uri: 'file:///w/a', path: 'a', kind: 'modified', additions: 1, deletions: 1, callId: 'c1' }] }),
  ];
}

/** A model without what only the screen needs. */
function plain(m: Model) {
  const row = (r: Row) => { const { v: _, ...rest } = r; return rest; };
  const rows = (rs: Row[]) => rs.map(row).map((r) => (r.kind === 'call' ? { ...r, output: '' } : r));
  return { rows: rows(m.root.rows), agents: [...m.agents].map(([k, ts]) => [k, ts.map((t) => ({ key: t.key, rows: rows(t.rows) }))]), queue: m.queue, plan: m.plan, active: m.active, approvals: [...m.approvals.keys()] };
}
const kinds = (m: Model) => m.root.rows.map((r) => (r.kind === 'call' ? `${r.callId} ${r.state}` : r.kind === 'answer' ? `${r.messageId} ${r.text}` : r.kind));

suite('the fold', () => {
  test('a run as it comes', () => {
    const log = new SessionLog('s');
    log.live(run());
    assert.deepEqual(kinds(log.model), ['prompt', 'm1 I run it.', 'c1 completed', 'c2 completed', 'm3 Done.', 'end']);
    const c1 = log.model.root.calls.get('c1')!;
    assert.deepEqual([c1.output, c1.text, c1.exitCode, c1.decided?.answer], ['a.txt\n', 'a.txt', 0, 'once']);
    const c2 = log.model.root.calls.get('c2')!;
    assert.deepEqual(c2.agent, { name: 'explore', prompt: 'Look.', path: 'explore#1', status: 'completed', calls: 1, citations: { ok: 1, bad: 0 } });
    assert.deepEqual(log.model.agents.get('c2')!.map((t) => t.rows.map((r) => (r.kind === 'answer' ? r.text : r.kind))), [['prompt', 'Found it.', 'call']]);
    assert.equal(log.model.active, undefined);
    assert.equal(log.model.context?.used, 10);
  });

  test('the same from the log, without what was only live', () => {
    const live = new SessionLog('s');
    live.live(run());
    const read = new SessionLog('s');
    read.page(run().filter((e) => e.seq !== undefined));
    read.pageOf(run().filter((e) => e.subSeq !== undefined));
    const sorted = (m: Model) => { const p = plain(m); for (const [, ts] of p.agents as [string, { rows: { kind: string }[] }[]][]) for (const t of ts) t.rows.sort((a, b) => a.kind.localeCompare(b.kind)); return p; };
    assert.deepEqual(sorted(read.model), sorted(live.model));
    assert.ok(read.hasAll(['explore#1']) && read.complete);
  });

  test('everything twice is the same as once', () => {
    const once = new SessionLog('s');
    once.live(run());
    const twice = new SessionLog('s');
    twice.live(run().flatMap((e) => (e.seq === undefined && e.subSeq === undefined ? [e] : [e, e])));
    twice.page(run().filter((e) => e.seq !== undefined));
    twice.pageOf(run().filter((e) => e.subSeq !== undefined));
    twice.live(run().filter((e) => e.seq !== undefined));
    assert.deepEqual(plain(twice.model), plain(once.model));
  });

  test('pages in steps from the end are the same as the whole', () => {
    const durable = run().filter((e) => e.seq !== undefined);
    const whole = new SessionLog('s');
    whole.page(durable);
    for (let size = 1; size < durable.length; size++) {
      const log = new SessionLog('s');
      for (let end = durable.length; end > 0; end -= size) log.page(durable.slice(Math.max(0, end - size), end));
      assert.deepEqual(plain(log.model).rows, plain(whole.model).rows, `in steps of ${size}`);
    }
  });

  test('an event behind a hole waits until the hole is filled', () => {
    const durable = run().filter((e) => e.seq !== undefined);
    const log = new SessionLog('s');
    log.live(durable.slice(0, 4));
    log.live(durable.slice(9));
    assert.deepEqual(log.hole, { after: 4, before: 10 });
    assert.equal(log.last, 4);
    log.page(durable.slice(4, 9));
    assert.equal(log.hole, undefined);
    assert.equal(log.last, durable.length);
    assert.deepEqual(kinds(log.model), ['prompt', 'm1 I run it.', 'c1 completed', 'c2 completed', 'm3 Done.', 'end']);
  });

  test('history that is read while an answer comes keeps the answer, its notices and its output', () => {
    const all = run();
    const log = new SessionLog('s');
    log.page(all.filter((e) => e.seq !== undefined && e.seq >= 5 && e.seq <= 7));
    log.live([ev({ type: 'tool.output', data: { callId: 'c1', stream: 'stdout', text: 'out' }, afterSeq: 7 }), ev({ type: 'notice', data: { severity: 'info', title: 'N' }, afterSeq: 7 }), ev({ type: 'message.delta', data: { messageId: 'm9', text: 'half' }, afterSeq: 7 })]);
    const before = log.model.root.rows.map((r) => r.key);
    log.page(all.filter((e) => e.seq !== undefined && e.seq < 5));
    const keys = log.model.root.rows.map((r) => r.key);
    assert.deepEqual(keys.slice(-before.length), before);
    assert.ok(keys.length > before.length);
    assert.equal(log.model.root.calls.get('c1')!.output, 'out');
    log.live([ev({ type: 'message.delta', data: { messageId: 'm9', text: ' and half' }, afterSeq: 7 })]);
    assert.equal(log.model.root.answers.get('m9')!.text, 'half and half');
  });

  test('a message that is reset goes; what comes behind it begins anew', () => {
    const log = new SessionLog('s');
    const delta = (id: string, text: string) => ev({ type: 'message.delta', data: { messageId: id, text }, afterSeq: 2 });
    log.live([...run().slice(0, 2), delta('m1', 'wrong'), ev({ type: 'notice', data: { severity: 'warning', title: 'Again.', kind: 'message_reset', messageId: 'm1' }, afterSeq: 2 }), delta('m1', 'right')]);
    assert.deepEqual(kinds(log.model), ['prompt', 'notice', 'm1 right']);
    const notice = log.model.root.rows.find((r) => r.kind === 'notice');
    assert.equal(notice?.about, 'message_reset');
  });

  test('a gap is mended by the whole message, and a piece behind it changes nothing', () => {
    const log = new SessionLog('s');
    log.live([...run().slice(0, 2), ev({ type: 'message.delta', data: { messageId: 'm1', text: 'be' }, afterSeq: 2 }), ev({ type: 'gap', data: { fromAfterSeq: 2, droppedBytes: 9 }, afterSeq: 2 })]);
    assert.equal(log.model.root.answers.get('m1')!.gap, true);
    log.live([ev({ type: 'message.assistant', data: { messageId: 'm1', text: 'beginning', model: 'm' }, seq: 3 }), ev({ type: 'message.delta', data: { messageId: 'm1', text: 'ning' }, afterSeq: 3 })]);
    assert.deepEqual([log.model.root.answers.get('m1')!.text, log.model.root.answers.get('m1')!.gap], ['beginning', false]);
  });

  test('a question is open until it is resolved, whoever resolves it, and ends with its run', () => {
    const log = new SessionLog('s');
    const all = run();
    const asked = all.findIndex((e) => e.type === 'approval.requested');
    log.live(all.slice(0, asked + 1));
    assert.deepEqual([...log.model.approvals.keys()], ['a1']);
    assert.equal(log.model.root.calls.get('c1')!.state, 'waiting');
    assert.equal(statusOf(log.model, 1, false).kind, 'waiting');
    log.live([ev({ type: 'run.ended', data: { stopReason: 'cancelled', usage, changes: [] }, seq: log.last + 1 })]);
    assert.equal(log.model.approvals.size, 0);
  });

  test('a queue: what waits, is changed, starts and is dropped', () => {
    const log = new SessionLog('s');
    const prompt = (text: string) => [{ type: 'text', text }];
    const queued = (itemId: string, runId: string, text: string, seq: number) => ev({ type: 'run.queued', data: { itemId, prompt: prompt(text) }, runId, seq });
    log.live([...run().slice(0, 2), queued('i1', 'r2', 'two', 3), queued('i2', 'r3', 'three', 4), queued('i3', 'r4', 'four', 5), queued('i1', 'r2', 'two!', 6)]);
    assert.deepEqual(log.model.queue.map((q) => [q.itemId, q.prompt[0].text]), [['i1', 'two!'], ['i2', 'three'], ['i3', 'four']]);
    log.live([ev({ type: 'run.ended', data: { stopReason: 'cancelled', usage, changes: [] }, runId: 'r3', seq: 7 }), ev({ type: 'run.started', data: { prompt: prompt('two!'), agent: 'build', model: 'm', kind: 'prompt' }, runId: 'r2', seq: 8 })]);
    assert.deepEqual(log.model.queue.map((q) => q.itemId), ['i3']);
    assert.equal(log.model.active, 'r2');
  });

  test('a prompt that is taken out of the queue ends nothing of what runs, also where the answer to that came first', () => {
    const log = new SessionLog('s');
    log.live(run().slice(0, 2));
    const before = [log.model.active, log.model.root.rows.length, statusOf(log.model, 0, false).kind];
    log.live([ev({ type: 'run.ended', data: { stopReason: 'cancelled', usage, changes: [] }, runId: 'r9', seq: log.last + 1 })]);
    assert.deepEqual([log.model.active, log.model.root.rows.length, statusOf(log.model, 0, false).kind], before);
  });

  test('an undo is shown at the last run that changed the file', () => {
    const log = new SessionLog('s');
    log.live(run());
    log.live([ev({ type: 'file.changed', data: { callId: 'undo#1', path: 'a', kind: 'modified', before: '', after: '', checkpoint: '' }, seq: log.last + 1, runId: undefined })]);
    assert.deepEqual([...log.model.undone.get('r1')!], ['a']);
  });

  test('a sub-agent that is resumed has a card for each sending', () => {
    const log = new SessionLog('s');
    const child = (call: string, subSeq: number, data: unknown, type = 'message.assistant') => ev({ type, data, subSeq, afterSeq: 2, agentPath: ['explore#1'], parentCallId: call });
    log.live([...run().slice(0, 2), child('c1', 1, { messageId: 'x', text: 'one', model: 'm' }), child('c2', 2, { messageId: 'y', text: 'two', model: 'm' })]);
    const texts = (call: string) => log.model.agents.get(call)!.flatMap((t) => t.rows.map((r) => (r as { text?: string }).text));
    assert.deepEqual([texts('c1'), texts('c2')], [['one'], ['two']]);
  });

  test('events of other sessions, and of a later version, do no harm', () => {
    const log = new SessionLog('s');
    log.live([...run().slice(0, 2), { ...ev({ type: 'message.assistant', data: { messageId: 'x', text: 'no' }, seq: 3 }), sessionId: 'other' } as AgentEvent, ev({ type: 'dream.dreamt', data: { x: 1 }, seq: 3 })]);
    assert.deepEqual(kinds(log.model), ['prompt', 'mark']);
  });

  test('what a command prints is kept to its end', () => {
    const log = new SessionLog('s');
    log.live(run().slice(0, 8));
    for (let i = 0; i < 100; i++) log.live([ev({ type: 'tool.output', data: { callId: 'c1', stream: 'stdout', text: `${i} ${'x'.repeat(2000)}` }, afterSeq: 3 })]);
    const c = log.model.root.calls.get('c1') as CallRow;
    assert.equal(c.output.length, 64 * 1024);
    assert.ok(c.outputCut && c.output.includes('99 xxx'));
  });

  test('changes of a run, by file', () => {
    const change = (path: string, kind: string, additions: number, deletions: number, from?: string) => ({ uri: `file:///${path}`, path, kind, additions, deletions, callId: 'c', ...(from && { from }) }) as FileChange;
    assert.deepEqual(byFile([change('a', 'created', 3, 0), change('b', 'modified', 1, 1), change('a', 'modified', 1, 1), change('c', 'moved', 0, 0, 'b')]).map((c) => [c.path, c.kind, c.additions, c.deletions]),
      [['a', 'created', 4, 1], ['c', 'moved', 1, 1]]);
  });
});
