import { strict as assert } from 'node:assert';
import type { TextEditor } from 'vscode';
import { sidecarSelection } from '../../src/chat/selection';

type Place = { line: number; character: number };

/** An editor of one text, with what is selected in it. */
function editor(text: string, start: Place, end: Place, scheme = 'file'): TextEditor {
  const lines = text.split('\n');
  const at = (p: Place) => lines.slice(0, p.line).reduce((n, l) => n + l.length + 1, 0) + p.character;
  return {
    document: {
      uri: { scheme, toString: () => `${scheme}:///w/a.js` },
      lineAt: (line: number) => ({ range: { start: { line, character: 0 }, end: { line, character: lines[line].length } } }),
      getText: (r: { start: Place; end: Place }) => text.slice(at(r.start), at(r.end)),
    },
    selection: { start, end, active: end, isEmpty: start.line === end.line && start.character === end.character },
  } as unknown as TextEditor;
}

suite('a selection that is handed over', () => {
  test('has its text as the editor shows it', () => {
    assert.deepEqual(sidecarSelection(editor('one\ntwo\nthree', { line: 0, character: 1 }, { line: 1, character: 2 })), [
      { type: 'resource_link', uri: 'file:///w/a.js', range: { start: { line: 0, character: 1 }, end: { line: 1, character: 2 } }, text: 'ne\ntw' },
    ]);
  });
  test('is the line of the cursor where nothing is selected', () => {
    assert.equal(sidecarSelection(editor('one\ntwo', { line: 1, character: 2 }, { line: 1, character: 2 }))![0].text, 'two');
    assert.ok(!('text' in sidecarSelection(editor('one\n', { line: 1, character: 0 }, { line: 1, character: 0 }))![0]));
  });
  test('is cut where it is longer than the sidecar ever shows', () => {
    const [b] = sidecarSelection(editor('x'.repeat(1e6), { line: 0, character: 0 }, { line: 0, character: 1e6 }))!;
    assert.equal(b.text!.length, 64 * 1024);
  });
  test('is of a file', () => assert.equal(sidecarSelection(editor('x', { line: 0, character: 0 }, { line: 0, character: 1 }, 'output')), undefined));
});
