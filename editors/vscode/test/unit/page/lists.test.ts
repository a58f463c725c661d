// Lists by day, and what stands beside a call.
import { strict as assert } from 'node:assert';
import { apply } from '../../../src/page/conversation/fold';
import { newModel, type CallRow } from '../../../src/page/conversation/model';
import { elapsed, sizeOf } from '../../../src/page/rows/counter';
import { byDay } from '../../../src/page/sessions';
import { speak } from '../../../src/page/strings';
import type { AgentEvent, Session } from '../../../src/protocol';

suite('sessions by day', () => {
  const now = new Date(2026, 10, 27, 9, 0);
  const at = (...time: [number, number, number, number]) => ({ id: time.join(), updatedAt: new Date(...time).toISOString() }) as Session;
  const named = (sessions: Session[], lang: string) => byDay(sessions, now, lang).map((g) => `${g.day}: ${g.sessions.length}`);
  const all = [at(2026, 10, 27, 8), at(2026, 10, 27, 0), at(2026, 10, 26, 23), at(2026, 10, 21, 1), at(2026, 10, 20, 23), at(2026, 10, 2, 1), at(2026, 9, 30, 1), at(2025, 10, 30, 1)];
  test('has the days of a week, and then months', () => {
    assert.deepEqual(named(all, 'en'), ['Today: 2', 'Yesterday: 1', 'Saturday: 1', 'November 2026: 2', 'October 2026: 1', 'November 2025: 1']);
    assert.deepEqual(named(all.slice(0, 4), 'zh-cn'), ['今天: 2', '昨天: 1', '星期六: 1']);
  });
  test('takes a clock that is ahead for today, and shows what has no time', () => {
    assert.deepEqual(named([at(2026, 10, 29, 1), { id: 'x', updatedAt: 'nonsense' } as Session], 'en'), ['Today: 1', ': 1']);
    assert.deepEqual(byDay([], now, 'en'), []);
  });
});

suite('beside a call', () => {
  test('is its time, once that is worth a word', () => {
    assert.deepEqual([0, 1999, 2000, 59_999, 60_000, 754_000, -5, NaN].map(elapsed), ['', '', '2 s', '59 s', '1 min 00 s', '12 min 34 s', '', '']);
    speak('zh-cn');
    assert.equal(elapsed(61_000), '1 分 01 秒');
    speak('en');
  });
  test('is how much came of it', () => {
    assert.deepEqual([0, 1023, 1024, 10_240, 1_048_575, 1_048_576, 5_500_000].map(sizeOf), ['', '', '1.0 KiB', '10 KiB', '1024 KiB', '1.0 MiB', '5.2 MiB']);
  });
  test('counts from when it was allowed, all that it printed', () => {
    const m = newModel('0001');
    const event = (seq: number, type: string, data: object) => apply(m, { sessionId: '0001', seq, runId: 'r', time: `2026-11-27T00:00:0${seq}.000Z`, type, data: { callId: 'c', ...data } } as unknown as AgentEvent);
    event(1, 'tool.requested', { tool: 'bash', input: {}, title: 'x' });
    event(2, 'tool.decided', { decision: 'allow', by: 'rule' });
    event(3, 'tool.output', { text: 'x'.repeat(70_000) });
    const row = m.root.rows.find((r) => r.kind === 'call') as CallRow;
    assert.deepEqual([row.begun, row.printed, row.output.length < 70_000], ['2026-11-27T00:00:02.000Z', 70_000, true]);
  });
});
