import { strict as assert } from 'node:assert';
import { askedFor, Open } from '../../src/approvals/open';
import { keep, keptPaths, toLookAt } from '../../src/changes/model';
import { changers } from '../../src/changes/read';
import type { AgentEvent, Approval } from '../../src/protocol';

const question = (approvalId: string) => ({ approvalId, title: approvalId }) as Approval;
const asked = (id: string) => ({ type: 'approval.requested', sessionId: 's', time: '', data: question(id) }) as AgentEvent;
const resolved = (id: string) => ({ type: 'approval.resolved', sessionId: 's', time: '', data: { approvalId: id } }) as AgentEvent;
const ids = (open: Open) => open.list().map((a) => a.approvalId);

suite('open questions', () => {
  test('come and go with their events; each change is told once', () => {
    const open = new Open();
    const told: string[] = [];
    open.onChange((added, gone) => told.push(`+${added.map((a) => a.approvalId)} -${gone}`));
    for (const e of [asked('a'), asked('b'), asked('a'), resolved('a'), resolved('a'), resolved('never')]) open.event(e);
    assert.deepEqual(ids(open), ['b']);
    assert.deepEqual(told, ['+a -', '+b -', '+ -a']);
  });

  test('a list that was made before an event does not undo it', async () => {
    const open = new Open();
    open.event(asked('old'));
    open.event(asked('a'));
    let give!: (items: Approval[]) => void;
    const loading = open.load(() => new Promise((done) => { give = (items) => done({ items }); }));
    open.event(asked('new'));
    open.event(resolved('a'));
    give([question('a'), question('b')]);
    await loading;
    assert.deepEqual(ids(open).sort(), ['b', 'new']);
  });

  test('without a process there are none', () => {
    const open = new Open();
    open.event(asked('a'));
    open.clear();
    assert.deepEqual(ids(open), []);
  });
});

suite('the question that a command names', () => {
  for (const [args, id] of [
    [[{ approvalId: 'a' }], 'a'], [['a'], 'a'], [['{"approvalId":"a"}'], 'a'],
    [[], undefined], [[null], undefined], [['{'], undefined], [[{ approvalId: 1 }], undefined], [[7], undefined],
  ] as const) test(JSON.stringify(args), () => assert.equal(askedFor(args), id));
});

suite('files to look at', () => {
  test('runs that have changed something, newest first, by the first line of their prompt', () => {
    const started = (runId: string, text: string) => ({ type: 'run.started', runId, sessionId: 's', time: '', data: { prompt: [{ type: 'text', text }] } }) as unknown as AgentEvent;
    const ended = (runId: string, ...paths: string[]) => ({ type: 'run.ended', runId, sessionId: 's', time: '', data: { changes: paths.map((path) => ({ path })) } }) as unknown as AgentEvent;
    assert.deepEqual(changers([
      started('r1', 'one\nmore'), ended('r1', 'a'), started('r2', 'two'), ended('r2'), started('r3', ''), ended('r3', 'b'), started('r4', 'goes on'),
      { ...started('sub', 'x'), agentPath: ['explore#1'] } as AgentEvent,
    ]), [{ runId: 'r4', title: 'goes on' }, { runId: 'r3', title: 'r3' }, { runId: 'r1', title: 'one' }]);
  });

  const run = (runId: string, ...paths: string[]) => ({ runId, title: runId, files: paths.map((path) => ({ path, uri: '', kind: 'modified', additions: 1, deletions: 0 })) });

  test('what is kept is not shown again, another run of the same file is', () => {
    const kept = keep(keep({}, 's', 'r1', ['a']), 's', 'r1', ['a', 'b']);
    assert.deepEqual(kept, { s: { r1: ['a', 'b'] } });
    const left = toLookAt([run('r1', 'a', 'b'), run('r2', 'a')], kept.s);
    assert.deepEqual(left.map((r) => r.runId), ['r2']);
  });

  test('what the editor has kept may be anything', () => {
    for (const bad of [undefined, null, 1, 'x', [], { s: 1 }, { s: { r: 'a' } }, { s: null }]) assert.deepEqual(keptPaths(bad), {});
    assert.deepEqual(keptPaths({ s: { r: ['a', 1] } }), { s: { r: ['a'] } });
  });

  test('the oldest sessions are forgotten', () => {
    let kept = {};
    for (let i = 0; i < 60; i++) kept = keep(kept, `s${i}`, 'r', ['a']);
    assert.equal(Object.keys(kept).length, 50);
    assert.ok(!('s0' in kept) && 's59' in kept);
  });
});
