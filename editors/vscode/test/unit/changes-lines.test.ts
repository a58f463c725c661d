// Which lines differ: the hunks put back give the text before, and what stays is as much as it can be.
import * as assert from 'node:assert/strict';
import { hunksOf, linesOf } from '../../src/changes/lines';

/** The text before, made of the text now and its hunks. */
function undone(before: string[], now: string[]): string[] {
  const out = [...now];
  for (const h of hunksOf(before, now).reverse()) out.splice(h.start, h.end - h.start, ...before.slice(h.from, h.to));
  return out;
}
const apart = (a: string, b: string) => hunksOf([...a], [...b]).map((h) => `${h.from}-${h.to}:${h.start}-${h.end}`);

suite('lines', () => {
  test('are cut at every kind of line end, also where the last one has none', () => {
    assert.deepEqual(linesOf('a\r\nb\nc\rd'), ['a', 'b', 'c', 'd']);
    assert.deepEqual(linesOf('a\n'), ['a', '']);
    assert.deepEqual(hunksOf(linesOf('a\r\nb\r\n'), linesOf('a\nb\n')), [], 'another line end is no change');
    assert.deepEqual(hunksOf(linesOf('a\nb'), linesOf('a\nb\n')), [{ from: 2, to: 2, start: 2, end: 3 }]);
  });
  test('that differ are found one by one', () => {
    assert.deepEqual(apart('abc', 'abc'), []);
    assert.deepEqual(apart('', 'ab'), ['0-0:0-2']);
    assert.deepEqual(apart('ab', ''), ['0-2:0-0']);
    assert.deepEqual(apart('abcdef', 'aXcdYf'), ['1-2:1-2', '4-5:4-5']);
    assert.deepEqual(apart('abcdef', 'bcdefg'), ['0-1:0-0', '6-6:5-6']);
    assert.deepEqual(apart('abcabba', 'cbabac').length <= 5, true);
  });
  test('give the text before, whatever the two are', () => {
    let seed = 7;
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    for (let i = 0; i < 3000; i++) {
      const text = (n: number) => Array.from({ length: random(n) }, () => 'abcd'[random(4)]!);
      const before = text(14), now = text(14);
      assert.deepEqual(undone(before, now), before, `${before.join('')} ${now.join('')}`);
    }
  });
  test('of two large texts with nothing in common are one piece, soon', () => {
    const many = (mark: string) => Array.from({ length: 20_000 }, (_, i) => `${mark}${i}`);
    assert.equal(hunksOf(many('a'), many('b')).length, 1);
    const now = many('a');
    for (let i = 0; i < now.length; i += 100) now[i] = 'other';
    assert.equal(hunksOf(many('a'), now).length, 200);
  });
});
