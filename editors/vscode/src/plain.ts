// Text of a model, a file or the sidecar, for places of the editor that would make links
// or icons of it: messages, tooltips, the status bar, pickers.

/** One line in which nothing is hidden, nothing is a link and nothing is an icon. */
export function plain(text: string, most = 200): string {
  const shown = text
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .replace(/[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu, (c) => `<U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`)
    .replace(/\]\(/g, '] (')
    .replace(/\$\(/g, '$ (')
    .trim();
  const points = [...shown];
  return points.length > most ? points.slice(0, most - 1).join('') + '…' : shown;
}
