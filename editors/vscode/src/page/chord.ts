// Ctrl+K (⌘K on macOS) is the first key of the editor's chords. The editor hears the keys of a web view as well, but
// it cannot keep them from it: the second key would run its command and be typed into the box that has the focus.

/** So long the editor waits for the second key. */
const waitMs = 5000;
const modifiers = new Set(['Control', 'Shift', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'Dead', 'Process']);

export type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'>;

export class Chord {
  private since: number | undefined;

  constructor(private readonly mac: boolean, private readonly now: () => number) {}

  /** Whether this key ends a chord: it is the editor's then, and does nothing in the page. */
  ends(e: Pressed): boolean {
    if (e.isComposing || modifiers.has(e.key)) return false;
    const waits = this.since !== undefined && this.now() - this.since < waitMs;
    this.since = waits || !this.begins(e) ? undefined : this.now();
    return waits;
  }

  /** The person has gone elsewhere, and so has the editor's patience. */
  forget(): void { this.since = undefined; }

  private begins(e: Pressed): boolean {
    const k = /^[a-z]$/i.test(e.key) ? e.key.toLowerCase() === 'k' : e.code === 'KeyK'; // a keyboard of other letters has it in its place
    return k && !e.altKey && !e.shiftKey && (this.mac ? e.metaKey && !e.ctrlKey : e.ctrlKey && !e.metaKey);
  }
}

/** Keeps the second key of a chord from the page. Handlers of keys leave alone what is prevented already. */
export function leaveChordsToTheEditor(): void {
  const chord = new Chord(/^Mac/.test(navigator.platform), () => performance.now());
  window.addEventListener('keydown', (e) => { if (chord.ends(e)) e.preventDefault(); }, true);
  window.addEventListener('blur', () => chord.forget());
}
