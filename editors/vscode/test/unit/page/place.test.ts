// Where a session works, in words.
import { strict as assert } from 'node:assert';
import { apply } from '../../../src/page/conversation/fold';
import { newModel, untouched } from '../../../src/page/conversation/model';
import { placeOf } from '../../../src/page/place';
import { timeOf } from '../../../src/page/rows/call';
import { textOf } from '../../../src/page/rows/mark';
import { speak } from '../../../src/page/strings';
import type { AgentEvent, Runner } from '../../../src/protocol';

suite('where a session works', () => {
  const box = (more: Partial<Runner>): Runner[] => [{ name: 'box', state: 'not_reached', ...more }];
  test('is not said where there is nowhere else, and else always', () => {
    assert.equal(placeOf(undefined), undefined);
    assert.equal(placeOf('', []), undefined);
    assert.deepEqual(placeOf('', box({}))?.kind, 'here');
    assert.equal(placeOf('box', box({ state: 'reached', roundTripMs: 85 }))?.text, 'on box, 85 ms');
    assert.equal(placeOf('box', box({ state: 'reached', roundTripMs: 0 }))?.text, 'on box, less than 1 ms');
    assert.equal(placeOf('box', box({ state: 'reaching' }))?.text, 'on box, connecting…');
    assert.equal(placeOf('box', box({}))?.text, 'on box', 'nobody has tried it');
    assert.equal(placeOf('box', box({ state: 'asleep' as never }))?.text, 'on box, asleep');
  });
  test('says why a runner is not reached, and that it is gone', () => {
    const bad = placeOf('box', box({ reason: 'Permission\u202e denied' }));
    assert.equal(bad?.kind, 'bad');
    assert.equal(bad?.text, 'on box, not reached');
    assert.match(bad!.hint, /Permission/);
    assert.doesNotMatch(bad!.hint, /\u202e/);
    assert.deepEqual([placeOf('box')?.kind, placeOf('box')?.text], ['bad', 'on box, not configured any more']);
  });
  test('follows the log', () => {
    const m = newModel('0001');
    const to = (seq: number, data: object) => apply(m, { sessionId: '0001', seq, type: 'session.changed', data } as unknown as AgentEvent);
    to(2, { runtimeMode: 'cloud', runner: 'box' });
    assert.equal(m.session.runner, 'box');
    to(3, { title: 'x' });
    assert.equal(m.session.runner, 'box');
    to(4, { runtimeMode: 'local', runner: '' });
    assert.equal(m.session.runner, '');
    assert.deepEqual(m.root.rows.map((r) => (r.kind === 'mark' ? textOf(r) : r.kind)), ['Works on box from here on', 'Works on this machine from here on']);
    assert.ok(untouched(m));
  });
  test('costs what it costs', () => {
    assert.equal(timeOf({ durationMs: 1200, wayMs: 900 }), '1.2 s · 0.9 s on the way');
    assert.equal(timeOf({ durationMs: 1200, wayMs: 12 }), '1.2 s');
    assert.equal(timeOf({ durationMs: 300, wayMs: 12 }), '');
    assert.equal(timeOf({}), '');
    speak('zh-cn');
    assert.match(timeOf({ durationMs: 1200, wayMs: 900 }), /往返/);
    speak('en');
  });
});
