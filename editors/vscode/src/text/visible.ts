// What cannot be seen is made visible, in the words of the sidecar's own titles
// (<U+202E>), so that no text from a model, a file or a program can look like another.

/** Control characters except tab and line feed, bidirectional controls, zero-width and other invisible ones. */
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff]|[\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
/** What chooses the picture of a sign: names have none, outputs and prose may. */
const selectors = new Set([0xfe0e, 0xfe0f]);
/** In prose the joiners of emoji and of some scripts are part of the writing, too. */
const joiners = new Set([0x200c, 0x200d, ...selectors]);

const code = (c: string) => `<U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`;

/** A text of one or more lines, as titles, paths and outputs of tools are shown. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(hidden, code);
}

/** One line: line breaks and tabs are shown as blanks. */
export function visibleLine(text: string): string {
  return visible(text.replace(/[\r\n\t]+/g, ' '));
}

/** Running text of a model. */
export function visibleProse(text: string): string {
  return text.replace(hidden, (c) => (joiners.has(c.codePointAt(0)!) ? c : code(c)));
}

/** What a program printed: colours of a terminal are left out, a line that was overwritten shows its last state. */
export function visibleOutput(text: string): string {
  // eslint-disable-next-line no-control-regex
  const plain = text.replace(/\u001b\[[0-9;:]*[mK]/g, '').replace(/\r+\n/g, '\n');
  return plain.replace(/^.*\r(?=[^\n])/gm, '').replace(/\r\n/g, '\n').replace(hidden, (c) => (selectors.has(c.codePointAt(0)!) ? c : code(c)));
}
