// The pieces of the agent's changes: against which text they are, which are kept, and what takes one back.
import * as assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { basesOf, isText, keepPiece, keptPieces, linesOf, piecesOf, takesBack } from '../../src/changes/hunks';

/** What an editor makes of a text when a piece of it is taken back. */
function edited(text: string, e: ReturnType<typeof takesBack>): string {
  const lines = text.split('\n');
  const at = ([line, character]: [number, number]) => lines.slice(0, line).reduce((n, l) => n + l.length + 1, 0) + character;
  return text.slice(0, at(e.start)) + e.text + text.slice(at(e.end));
}
const file = (path: string, more: object = {}) => ({ path, uri: `file:///w/${path}`, kind: 'modified', additions: 1, deletions: 1, checkpoint: `agent-checkpoint:/0001/${path}`, ...more });

suite('hunks', () => {
  test('are against what was there before the oldest run that nobody has kept', () => {
    const runs = [
      { runId: 'r2', title: '', files: [file('a', { checkpoint: 'agent-checkpoint:/0001/two' }), file('c', { kind: 'created', checkpoint: undefined })] },
      { runId: 'r1', title: '', files: [file('a', { checkpoint: 'agent-checkpoint:/0001/one' }), file('gone', { kind: 'deleted' }), file('lost', { checkpoint: undefined })] },
    ];
    const bases = basesOf('0001', runs);
    assert.deepEqual(bases.map((b) => [b.path, b.checkpoint, b.runs]), [['a', 'agent-checkpoint:/0001/one', ['r1', 'r2']], ['c', undefined, ['r2']]]);
    assert.deepEqual(basesOf('0001', runs.slice(0, 1)).map((b) => b.checkpoint), ['agent-checkpoint:/0001/two', undefined]);
  });
  test('are of the very text that the checkpoint names: words about a file are not', () => {
    const hash = createHash('sha256').update('was\n').digest('hex');
    assert.ok(isText(`agent-checkpoint:/0001/${hash}/a.txt`, 'was\n'));
    assert.ok(isText(`agent-checkpoint:/0001%2F${hash}/a.txt`, 'was\n'));
    assert.ok(!isText(`agent-checkpoint:/0001/${hash}/a.txt`, 'This is no text: 12 bytes.\n'));
    assert.ok(!isText(`agent-checkpoint:/0001/${hash}/a.txt`, 'was\r\n'));
    assert.ok(!isText('agent-checkpoint:/', 'was\n'));
  });
  test('go back one by one, whichever, to the text before', () => {
    for (const [before, now] of [['a\nb\nc\n', 'A\nb\nC\n'], ['a\nb', 'a\nb\n'], ['a\nb\n', 'a\nb'], ['', 'new\n'], ['old\n', ''], ['a\nb\nc', 'b\nc\nd'], ['a', 'x\ny'], ['a\n', '\n\na\n\n']] as const) {
      for (const last of [true, false]) {
        let text: string = now;
        for (let i = 0; i < 9; i++) {
          const all = piecesOf(linesOf(before), linesOf(text));
          const piece = last ? all.at(-1) : all[0];
          if (!piece) break;
          text = edited(text, takesBack(linesOf(before), linesOf(text), piece));
        }
        assert.equal(text, before, JSON.stringify([before, now, last]));
      }
    }
  });
  test('keep their names when lines come above, and get others when they change', () => {
    const before = linesOf('a\nb\nc\n');
    const id = piecesOf(before, linesOf('a\nB\nc\n'))[0]!.id;
    assert.ok(piecesOf(before, linesOf('a\nB\nc\nmine\n')).some((p) => p.id === id));
    assert.ok(piecesOf(before, linesOf('mine\na\nB\nc\n')).some((p) => p.id === id));
    assert.ok(!piecesOf(before, linesOf('a\nB, changed\nc\n')).some((p) => p.id === id));
  });
  test('that are kept are bounded, and read with care', () => {
    assert.deepEqual(keptPieces(null), {});
    assert.deepEqual(keptPieces({ a: ['x'], b: [1], c: 'x' }), { a: ['x'] });
    let kept = {};
    for (let i = 0; i < 300; i++) kept = keepPiece(kept, `c${i}`, 'p');
    assert.equal(Object.keys(kept).length, 100);
    assert.deepEqual(Object.keys(kept).at(-1), 'c299');
    assert.deepEqual(keepPiece(keepPiece({}, 'c', 'p'), 'c', 'p'), { c: ['p'] });
  });
});
