// What is known of the model that images would go to.
import * as assert from 'node:assert/strict';
import { seenIn } from '../../../src/page/sight';

suite('whether a model accepts images', () => {
  const of = (...models: { name: string; vision?: boolean }[]) => seenIn({ providers: [{ models }] });
  test('is what is said of that one', () => {
    assert.deepEqual(of({ name: 'box/sees', vision: true }), { name: 'box/sees', vision: true });
    assert.deepEqual(of({ name: 'box/blind' }), { name: 'box/blind', vision: false });
  });
  test('is not known where nothing, or of several is said', () => {
    assert.equal(of(), undefined);
    assert.equal(of({ name: 'a' }, { name: 'b' }), undefined);
    assert.equal(seenIn({ providers: [{ models: [{ name: 'a' }] }, { models: [{ name: 'b' }] }] }), undefined);
  });
});
