// What a person has made of a proposal becomes arguments of the same call, for the same file.
import * as assert from 'node:assert/strict';
import { editedInput, isEditable } from '../../src/approvals/edited';
import type { Approval } from '../../src/protocol';

const asked = (tool: string, input: object, more: object = {}) => ({ tool, input, editable: true, decisions: ['once', 'reject'], preview: { kind: 'diff', text: '', documents: [{ path: 'a', before: '', after: '' }] }, ...more }) as unknown as Approval;
const edit = (before: string, now: string) => editedInput(asked('edit', { path: 'a', old: 'x', new: 'y', replaceAll: true }), before, now);

suite('edited proposals', () => {
  test('are of one file, and of tools whose arguments are its text', () => {
    assert.ok(isEditable(asked('edit', { path: 'a' })));
    for (const not of [asked('bash', {}), asked('toString', {}), asked('edit', {}, { editable: undefined }), asked('edit', {}, { decisions: ['reject'] }),
      asked('edit', {}, { preview: { kind: 'text', text: '' } }), asked('edit', {}, { preview: { kind: 'diff', text: '', documents: [{}, {}] } }), asked('edit', [] as never, { input: null })]) assert.ok(!isEditable(not));
  });
  test('replace the lines that differ, with as many around as make them the only ones', () => {
    assert.deepEqual(edit('a\nb\nc\n', 'a\nB\nc\n'), { path: 'a', old: 'b\n', new: 'B\n' });
    assert.deepEqual(edit('x\nx\ny\n', 'x\nX\ny\n'), { path: 'a', old: 'x\nx\ny\n', new: 'x\nX\ny\n' });
    assert.deepEqual(edit('a\nb\n', 'a\nnew\nb\n'), { path: 'a', old: 'a\nb\n', new: 'a\nnew\nb\n' });
    assert.deepEqual(edit('a\nb', 'a\nB'), { path: 'a', old: 'b', new: 'B' });
    assert.deepEqual(edit('a\r\nb\r\n', 'a\r\nB\r\n'), { path: 'a', old: 'b\r\n', new: 'B\r\n' });
    assert.equal(edit('', 'new'), undefined);
  });
  test('give the text that the person has, wherever they have changed it', () => {
    let seed = 3;
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    for (let i = 0; i < 2000; i++) {
      const text = () => Array.from({ length: 1 + random(9) }, () => 'abc'[random(3)]!).join('\n') + (random(2) ? '\n' : '');
      const before = text(), now = text();
      const input = edit(before, now) as { old: string; new: string } | undefined;
      if (before === now || !input) continue;
      assert.equal(before.split(input.old).length, 2, JSON.stringify([before, input]));
      assert.equal(before.replace(input.old, () => input.new), now);
    }
  });
  test('of a write and of a patch', () => {
    assert.deepEqual(editedInput(asked('write', { path: 'a', content: 'x' }), '', 'mine\n'), { path: 'a', content: 'mine\n' });
    assert.deepEqual(editedInput(asked('write', { path: 'a', content: 'x' }), 'x', ''), { path: 'a', content: '', allowEmpty: true });
    const patch = '*** Begin Patch\n*** Update File: dir/a b.txt\n@@\n-b\n+c\n*** End Patch';
    assert.deepEqual(editedInput(asked('apply_patch', { patch }), 'a\nb\n', 'a\nmine\n'), { patch: '*** Begin Patch\n*** Update File: dir/a b.txt\n@@\n-b\n+mine\n*** End Patch' });
    for (const other of ['--- a/x\n+++ b/x\n', '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch', patch.replace('@@', '*** Move to: b\n@@')]) assert.equal(editedInput(asked('apply_patch', { patch: other }), 'a\n', 'b\n'), undefined);
  });
});
