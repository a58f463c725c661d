// Code with its head: its language, copy and insert. A fence of its own comes in pieces
// below one head; what stands in a list or a quote is one piece, in its place there.
import { visible } from '../../text/visible';
import { paint } from '../code/paint';
import { el, iconButton, type CodeBlocks } from '../dom';
import type { Code } from '../markdown/render';
import type { Segment } from '../markdown/segments';
import { t } from '../strings';
import type { Chat } from './chat';

const shownLanguage = (lang: string | undefined): string => visible(lang || t('code')).slice(0, 40);

export function codeHead(lang: string | undefined, text: () => string, chat: Chat, number: number | undefined): HTMLElement {
  const part = (name: string) => (number === undefined ? undefined : `${name}${number}`);
  const copy = iconButton('copy', 'copy', () => chat.copy(text(), copy), { 'data-part': part('copy') });
  const insert = iconButton('insert', 'insert', () => chat.perform({ do: 'insert', text: text() }), { 'data-part': part('insert') });
  return el('div', { class: 'code-head' }, el('span', { class: 'lang' }, shownLanguage(lang)), copy, insert);
}

export function codeBody(text: string, begins: boolean | undefined, ends: boolean | undefined): { pre: HTMLElement; code: HTMLElement } {
  const code = el('code', null, visible(text));
  return { pre: el('pre', { class: `code${begins ? ' begins' : ''}${ends ? ' ends' : ''}`, tabindex: '0', 'aria-label': t('code') }, code), code };
}

/** What a code inside of Markdown was drawn from. */
const drawn = new WeakMap<Node, { now: Code; code: HTMLElement }>();
/** The codes of one piece of Markdown as fences of one piece: the colours of a code that is drawn again are known. */
const fences = new WeakMap<Segment, Map<string, Segment>>();

/** The code in a piece of Markdown. */
export function codesIn(within: Segment, chat: Chat): CodeBlocks {
  const colour = ({ text, lang, ended }: Code, code: HTMLElement) => {
    if (!ended) return;
    let known = fences.get(within);
    if (!known) fences.set(within, known = new Map());
    const key = `${lang}\n${text}`;
    let fence = known.get(key);
    if (!fence) known.set(key, fence = { index: 0, kind: 'code', text, lang, closed: true, first: true, last: true });
    paint(code, fence, [fence]);
  };
  return {
    draw(now) {
      const { pre, code } = codeBody(now.text, true, true);
      const node: HTMLElement = el('div', { class: 'code-block' });
      node.append(codeHead(now.lang, () => drawn.get(node)!.now.text, chat, undefined), pre);
      drawn.set(node, { now, code });
      colour(now, code);
      return node;
    },
    redraw(node, now) {
      const { now: was, code } = drawn.get(node)!;
      if (now.text === was.text && now.lang === was.lang && now.ended === was.ended) return;
      drawn.set(node, { now, code });
      const text = visible(now.text);
      const before = visible(was.text);
      if (text.startsWith(before) && !was.ended) (code.firstChild as Text).appendData(text.slice(before.length)); // what is selected in it stays
      else code.textContent = text;
      node.querySelector('.lang')!.textContent = shownLanguage(now.lang);
      colour(now, code);
    },
  };
}
