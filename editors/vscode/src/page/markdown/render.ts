// Draws Markdown as a tree of plain nodes: no HTML text is made at any point, so there
// is none that a model could write. Only the elements and attributes below exist.
import { visible, visibleProse } from '../../text/visible';
import { cite, safeHref, type Place } from './links';
import { languageIn, markdown } from './parser';

type Token = ReturnType<typeof markdown.parse>[number];
export type Node = string | Element;
export interface Element { tag: string; class?: string; href?: string; place?: Place; start?: number; code?: Code; children: Node[] }
/** A code inside of something else. Ended: what comes changes it no more. */
export interface Code { text: string; lang: string; ended: boolean }

const plainTags = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'em', 'strong', 's', 'table', 'thead', 'tbody', 'tr', 'th', 'td']);

/** `whole`: no more of the text will come. */
export function prose(text: string, whole = true): Node[] {
  const tokens = markdown.parse(text, {});
  return tree(tokens, whole ? tokens.length : tokens.findLastIndex((t) => t.nesting >= 0));
}

/** `open`: where the token stands to which more may come. */
function tree(tokens: Token[], open: number): Node[] {
  const root: Element = { tag: 'div', children: [] };
  const stack = [root];
  const links: boolean[] = [];
  for (const [i, t] of tokens.entries()) {
    const top = stack[stack.length - 1];
    if (t.type === 'inline') {
      const done = taskOf(tokens, i);
      const li = stack[stack.length - 2];
      if (done !== undefined && li) {
        li.class = 'task';
        t.children![0].content = `${done ? '☑' : '☐'}${t.children![0].content.slice('[ ]'.length)}`;
      }
    }
    if (t.type === 'inline') top.children.push(...tree(t.children ?? [], Infinity));
    else if (t.type === 'text' || t.type === 'text_special') top.children.push(...(links.length ? [visibleProse(t.content)] : withPlaces(t.content, visibleProse)));
    else if (t.type === 'code_inline') top.children.push(inlineCode(t.content, links.length > 0));
    else if (t.type === 'softbreak') top.children.push('\n');
    else if (t.type === 'hardbreak') top.children.push({ tag: 'br', children: [] });
    else if (t.type === 'hr') top.children.push({ tag: 'hr', children: [] });
    else if (t.type === 'fence' || t.type === 'code_block') top.children.push(codeBlock(t, i < open));
    else if (t.type === 'image') top.children.push(link(attr(t, 'src'), [visibleProse(t.content || attr(t, 'src'))]));
    else if (t.type === 'link_open') {
      const e = link(attr(t, 'href'), []);
      top.children.push(e);
      stack.push(e);
      links.push(true);
    } else if (t.type === 'link_close') {
      stack.pop();
      links.pop();
    } else if (t.nesting === 1) {
      const e: Element = { tag: plainTags.has(t.tag) ? t.tag : 'div', children: [] };
      if (t.hidden) e.tag = 'tight';
      const start = t.tag === 'ol' ? Number(attr(t, 'start') || 1) : 1;
      if (start !== 1) e.start = start;
      const align = /text-align:(left|center|right)/.exec(attr(t, 'style'))?.[1];
      if (align) e.class = `align-${align}`;
      top.children.push(e);
      stack.push(e);
    } else if (t.nesting === -1) {
      const e = stack.pop()!;
      if (e.tag === 'tight') { // a paragraph of a tight list is no element of its own
        const parent = stack[stack.length - 1];
        parent.children.splice(parent.children.indexOf(e), 1, ...e.children);
      }
    } else if (t.content) top.children.push(visibleProse(t.content));
  }
  return root.children;
}

/** Whether the item that begins with this text is a task, and done. */
function taskOf(tokens: Token[], i: number): boolean | undefined {
  if (tokens[i - 1]?.type !== 'paragraph_open' || tokens[i - 2]?.type !== 'list_item_open') return undefined;
  const first = tokens[i].children?.[0];
  const mark = first?.type === 'text' ? /^\[([ xX])\] /.exec(first.content)?.[1] : undefined;
  return mark === undefined ? undefined : mark !== ' ';
}

const attr = (t: Token, name: string) => String(t.attrGet(name) ?? '');

function link(href: string, children: Node[]): Element {
  const to = safeHref(href);
  if (!to) return { tag: 'span', children };
  return 'href' in to ? { tag: 'a', href: to.href, children } : { tag: 'a', place: to, children };
}

function inlineCode(text: string, inLink: boolean): Element {
  return { tag: 'code', children: inLink ? [visible(text)] : withPlaces(text, visible) };
}

function withPlaces(text: string, shown: (t: string) => string): Node[] {
  return cite(text).map((p) => (p.place ? { tag: 'a', place: p.place, children: [shown(p.text)] } : shown(p.text)));
}

function codeBlock(t: Token, ended: boolean): Element {
  const text = t.content.replace(/\n$/, '');
  return { tag: 'pre', class: 'code', code: { text, lang: languageIn(t.info), ended }, children: [{ tag: 'code', children: [visible(text)] }] };
}
