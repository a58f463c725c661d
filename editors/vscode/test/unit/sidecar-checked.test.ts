// Of which documents the sidecar is told what is wrong in them.
import { strict as assert } from 'node:assert';
import { Checked, type Marks } from '../../src/sidecar/checked';

suite('what the editor finds wrong is told', () => {
  const none: Marks = { foreign: 0, own: 0 };
  const inside = true, outside = false;
  const rows: [string, boolean, Marks[], boolean[]][] = [
    ['where there is something, and where it is gone', inside, [{ foreign: 2, own: 0 }, none], [true, true]],
    ['that a check found nothing, also twice', inside, [none, none], [true, true]],
    ['of the workspace: settings that nobody asked about are none of its business', outside, [none, none], [false, false]],
    ['also outside where there is something, and once that it is gone', outside, [{ foreign: 1, own: 0 }, none, none], [true, true, false]],
    ['without its own questions: they are no check', inside, [{ foreign: 0, own: 1 }, none], [false, false]],
    ['by a check while a question is open', inside, [{ foreign: 0, own: 1 }, { foreign: 0, own: 1 }], [false, true]],
    ['with a question beside it', inside, [{ foreign: 1, own: 1 }, { foreign: 0, own: 1 }, none], [true, true, false]],
  ];
  for (const [name, inWorkspace, marks, told] of rows) {
    test(name, () => {
      const checked = new Checked();
      assert.deepEqual(marks.map((m) => checked.tells('file:///a', m, inWorkspace)), told);
    });
  }
  test('each document by itself', () => {
    const checked = new Checked();
    checked.tells('file:///a', { foreign: 1, own: 0 }, outside);
    assert.equal(checked.tells('file:///b', none, outside), false);
  });
  test('to another process anew', () => {
    const checked = new Checked();
    checked.tells('file:///a', { foreign: 1, own: 0 }, outside);
    checked.forget();
    assert.equal(checked.tells('file:///a', none, outside), false);
  });
});
