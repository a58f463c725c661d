// Which runs the list of changes and "Undo Last Run" mean, read from the log in pages.
import * as assert from 'node:assert/strict';
import { changers, lastRunOf } from '../../src/changes/read';
import type { AgentEvent } from '../../src/protocol';

const started = (runId: string, text: string, more: object = {}) => ({ type: 'run.started', runId, data: { prompt: [{ type: 'text', text }] }, ...more }) as unknown as AgentEvent;
const ended = (runId: string, changes: unknown[] = []) => ({ type: 'run.ended', runId, data: { changes } }) as unknown as AgentEvent;

/** A sidecar that gives one event a page. */
const log = (events: AgentEvent[]) => ({
  request: (async (_: string, p: { after?: number }) => {
    const at = p.after ?? 0;
    return { events: events.slice(at, at + 1), nextAfter: at + 1, hasMore: at + 1 < events.length };
  }) as never,
});

suite('the runs of a log', () => {
  const events = [started('r1', 'one\ntwo'), ended('r1', [{}]), started('r2', 'nothing'), ended('r2'), started('s1', 'asked by a call', { agentPath: ['explore#1'] }), started('r3', '')];
  test('that have changed something, or may yet, newest first', () => {
    assert.deepEqual(changers(events), [{ runId: 'r3', title: 'r3' }, { runId: 'r1', title: 'one' }]);
  });
  test('one that goes on after an interruption is called by what was asked', () => {
    const continuation = { type: 'run.started', runId: 'r2', data: { kind: 'continuation', prompt: [{ type: 'text', text: 'Go on.' }] } } as unknown as AgentEvent;
    assert.deepEqual(changers([started('r1', 'one'), continuation, started('r3', 'three')]).map((r) => r.title), ['three', 'one', 'one']);
    assert.deepEqual(changers([continuation]).map((r) => r.title), ['Go on.']);
  });
  test('the newest one is no sub-agent’s, and may have changed nothing', async () => {
    assert.equal(await lastRunOf(log(events), '1'), 'r3');
    assert.equal(await lastRunOf(log(events.slice(0, 5)), '1'), 'r2');
    assert.equal(await lastRunOf(log([]), '1'), undefined);
  });
});
