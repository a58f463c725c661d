// How Markdown of a model is read: no HTML, no pictures from elsewhere, no definitions
// of links (they would change what stands above them, and so what was drawn already).
import MarkdownIt from 'markdown-it';
import { safeHref } from './links';

export const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, breaks: false, maxNesting: 30 });
markdown.disable(['reference', 'html_block', 'html_inline']);
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.linkify.add('mailto:', null).add('ftp:', null).add('//', null);
markdown.validateLink = (href: string) => safeHref(href) !== undefined;
// A link is shown as it was written: no percent signs are added or taken away.
markdown.normalizeLink = (href: string) => href;
markdown.normalizeLinkText = (text: string) => text;

export interface Block { start: number; end: number; fence: boolean }

/** The top-level blocks of a text, as ranges of its lines. */
export function blocks(text: string): Block[] {
  const tokens: ReturnType<typeof markdown.parse> = [];
  markdown.block.parse(text, markdown, {}, tokens);
  const found: Block[] = [];
  for (const t of tokens) {
    if (t.level === 0 && t.nesting >= 0 && t.map) found.push({ start: t.map[0], end: t.map[1], fence: t.type === 'fence' });
  }
  return found;
}
