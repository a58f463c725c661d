// How Markdown of a model is read: no HTML, no pictures from elsewhere, no definitions
// of links (they would change what stands above them, and so what was drawn already).
import MarkdownIt from 'markdown-it';
import { safeHref } from './links';
import { asWritten } from './rules';

export const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, breaks: false, maxNesting: 30 });
markdown.disable(['reference', 'html_block', 'html_inline']);
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.linkify.add('mailto:', null).add('ftp:', null).add('//', null);
markdown.validateLink = (href: string) => safeHref(href) !== undefined;
// A link is shown as it was written: no percent signs are added or taken away.
markdown.normalizeLink = (href: string) => href;
markdown.normalizeLinkText = (text: string) => text;
asWritten(markdown);

/** What a fence says its language is. */
export const languageIn = (info: string): string => info.trim().split(/\s/)[0] ?? '';

export interface Block {
  start: number;
  end: number;
  fence: boolean;
  /** A list, a table or a quote. */
  parted: boolean;
  /** Lines at which its next part begins: the rest stays what it is when it stands alone. */
  joints: number[];
  /** Of a table: so many lines say what its columns are, and belong before each part of it. */
  head: number;
  /** The fences inside of it. */
  inner: { start: number; end: number }[];
}

/** How deep the parts of a block lie. */
const depths: Record<string, number> = { bullet_list_open: 1, ordered_list_open: 1, table_open: 2, blockquote_open: 1 };

/** The top-level blocks of a text, as ranges of its lines. */
export function blocks(text: string): Block[] {
  const tokens: ReturnType<typeof markdown.parse> = [];
  markdown.block.parse(text, markdown, {}, tokens);
  const found: Block[] = [];
  let depth: number | undefined;
  for (const t of tokens) {
    if (t.nesting < 0 || !t.map) continue;
    const [start, end] = t.map;
    if (t.level === 0) {
      depth = depths[t.type];
      found.push({ start, end, fence: t.type === 'fence', parted: depth !== undefined, joints: [], head: t.type === 'table_open' ? 2 : 0, inner: [] });
      continue;
    }
    const b = found.at(-1)!;
    if (t.level === depth && start >= b.start + Math.max(1, b.head)) b.joints.push(start);
    if (t.type === 'fence') b.inner.push({ start, end });
  }
  return found;
}
