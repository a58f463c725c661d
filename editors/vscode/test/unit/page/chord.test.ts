// The second key of a chord is the editor's. Without that it is typed into whatever has the focus.
import * as assert from 'node:assert/strict';
import { Chord, type Pressed } from '../../../src/page/chord';

const plain = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false };
const key = (name: string, more: Partial<Pressed> = {}): Pressed => ({ ...plain, key: name, code: /^[a-z]$/i.test(name) ? `Key${name.toUpperCase()}` : name, ...more });
const ctrl = (name: string, more: Partial<Pressed> = {}) => key(name, { ctrlKey: true, ...more });
const cmd = (name: string) => key(name, { metaKey: true });

suite('a chord', () => {
  const rows: [string, boolean, Pressed[], boolean[]][] = [
    ['a letter alone is typed', false, [key('k'), key('h')], [false, false]],
    ['the key behind Ctrl+K', false, [ctrl('k'), key('h'), key('h')], [false, true, false]],
    ['also where Ctrl is let go in between', false, [key('Control'), ctrl('k'), key('Shift'), key('H', { shiftKey: true })], [false, false, false, true]],
    ['also where it is Enter or Escape', false, [ctrl('k'), key('Enter'), ctrl('k'), key('Escape'), key('x')], [false, true, false, true, false]],
    ['also where it is held', false, [ctrl('k'), ctrl('k'), key('h')], [false, true, false]],
    ['with Caps Lock on', false, [ctrl('K'), key('H')], [false, true]],
    ['on a keyboard of other letters', false, [ctrl('\u043b', { code: 'KeyK' }), key('\u0440')], [false, true]],
    ['of another layout K is where its letter is', false, [ctrl('t', { code: 'KeyK' }), key('h')], [false, false]],
    ['Ctrl+Shift+K begins none', false, [ctrl('k', { shiftKey: true }), key('h')], [false, false]],
    ['AltGr begins none', false, [ctrl('k', { altKey: true }), key('h')], [false, false]],
    ['what an input method composes belongs to it', false, [ctrl('k'), key('h', { isComposing: true }), key('x')], [false, false, true]],
    ['on macOS it is Command', true, [cmd('k'), key('h'), key('h')], [false, true, false]],
    ['and Ctrl+K there deletes to the end of the line', true, [ctrl('k'), key('h')], [false, false]],
    ['Command is no chord elsewhere', false, [cmd('k'), key('h')], [false, false]],
  ];
  for (const [name, mac, keys, ends] of rows) {
    test(name, () => {
      const chord = new Chord(mac, () => 0);
      assert.deepEqual(keys.map((k) => chord.ends(k)), ends);
    });
  }
  test('waits as long as the editor does', () => {
    let now = 0;
    const chord = new Chord(false, () => now);
    chord.ends(ctrl('k'));
    now = 4999;
    assert.equal(chord.ends(key('h')), true);
    chord.ends(ctrl('k'));
    now += 5000;
    assert.equal(chord.ends(key('h')), false);
  });
  test('is over when the person goes elsewhere', () => {
    const chord = new Chord(false, () => 0);
    chord.ends(ctrl('k'));
    chord.forget();
    assert.equal(chord.ends(key('h')), false);
  });
});
