// Which links may be opened, and which places a text names. A place is a path in the
// workspace and a line; whether there is such a file, the editor finds out when asked.

export interface Place { path: string; line?: number; endLine?: number }
export type Target = { href: string } | Place;

/** http and https as they are, and paths without a scheme; everything else is no link. */
export function safeHref(href: string): Target | undefined {
  const h = href.trim();
  // eslint-disable-next-line no-control-regex
  if (!h || h.length > 2048 || /[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/.test(h)) return undefined;
  if (/^https?:\/\/[^/]/i.test(h)) {
    try {
      const u = new URL(h);
      return u.username || u.password ? undefined : { href: u.href };
    } catch {
      return undefined;
    }
  }
  if (/^[a-z][a-z0-9+.-]*:(?!\d+(:\d+)?(-\d+)?$)/i.test(h) || /^[/\\]{2}/.test(h) || h.startsWith('#')) return undefined;
  const m = /^([^#?]+?)(?::(\d+)(?::\d+)?(?:-(\d+))?|#L(\d+)(?:-L?(\d+))?)?$/.exec(h);
  if (!m) return undefined;
  return place(m[1], m[2] ?? m[4], m[3] ?? m[5]);
}

function place(path: string, line?: string, endLine?: string): Place {
  const p: Place = { path };
  if (line) p.line = Number(line);
  if (endLine) p.endLine = Number(endLine);
  return p;
}

/** `dir/file.ext:12` and `file.go:3-9`; a path needs an ending or a folder, and a line. In front may stand which folder of the workspace it is in. */
const citation = /(?<![\w./:@-])((?:vault(?:@[\w.+-]+)?:)?(?:\.{0,2}\/)?(?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.[A-Za-z][\w]{0,9}|(?:vault(?:@[\w.+-]+)?:\/?)?(?:[\w@.+-]+\/)+[\w@.+-]+):(\d{1,7})(?::\d{1,5})?(?:[-–](\d{1,7}))?(?![\w/])/g;

/** The pieces of a text: what names a place has `place`. */
export function cite(text: string): { text: string; place?: Place }[] {
  const pieces: { text: string; place?: Place }[] = [];
  let at = 0;
  for (const m of text.matchAll(citation)) {
    if (m.index > at) pieces.push({ text: text.slice(at, m.index) });
    pieces.push({ text: m[0], place: place(m[1], m[2], m[3]) });
    at = m.index + m[0].length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}
