// An answer of the model: blocks of Markdown, fences with copy and insert, and what it
// thought before, folded.
import { visible, visibleProse } from '../../text/visible';
import { paint } from '../code/paint';
import { el, icon, iconButton, mount, remount } from '../dom';
import { prose, type Node as MdNode } from '../markdown/render';
import type { Segment } from '../markdown/segments';
import type { AnswerRow } from '../conversation/model';
import { t } from '../strings';
import type { Chat } from './chat';

/** What a piece of Markdown was drawn from. */
const drawn = new WeakMap<Element, MdNode[]>();
/** What shows a closed segment of code. */
const codes = new WeakMap<Segment, HTMLElement>();

export function drawSegment(row: AnswerRow, s: Segment, chat: Chat): HTMLElement {
  const node = el('article', { class: `row answer${s.index === 0 ? ' first' : ''}`, 'aria-label': s.index === 0 ? t('assistant') : undefined });
  if (s.kind === 'prose') {
    const nodes = prose(s.text);
    const markdown = el('div', { class: 'markdown' }, mount(nodes));
    drawn.set(markdown, nodes);
    node.append(markdown);
    return node;
  }
  node.classList.add('fence');
  if (s.first) node.append(codeHead(row, s, chat));
  const pre = el('pre', { class: `code${s.first ? ' begins' : ''}${s.last ? ' ends' : ''}`, tabindex: '0', 'aria-label': t('code') });
  const code = el('code', null, visible(s.text));
  pre.append(code);
  node.append(pre);
  if (s.closed) {
    codes.set(s, code);
    paint(code, s, chat.fence(row.key, s.fence!));
  }
  return node;
}

/** Draws a segment of prose where it was drawn with less text, and colours code whose fence has ended now; false where something else stands there. */
export function redrawSegment(node: HTMLElement, row: AnswerRow, s: Segment, chat: Chat): boolean {
  const code = codes.get(s);
  if (code && node.contains(code)) {
    paint(code, s, chat.fence(row.key, s.fence!));
    return true;
  }
  const markdown = node.firstElementChild;
  const was = markdown && drawn.get(markdown);
  if (!was || s.kind !== 'prose') return false;
  const now = prose(s.text);
  remount(markdown, was, now);
  drawn.set(markdown, now);
  return true;
}

function codeHead(row: AnswerRow, s: Segment, chat: Chat): HTMLElement {
  const copy = iconButton('copy', 'copy', () => chat.copy(chat.codeOf(row.key, s.fence!), copy), { 'data-part': `copy${s.fence}` });
  const insert = iconButton('insert', 'insert', () => chat.perform({ do: 'insert', text: chat.codeOf(row.key, s.fence!) }), { 'data-part': `insert${s.fence}` });
  return el('div', { class: 'code-head' }, el('span', { class: 'lang' }, visible(s.lang || t('code')).slice(0, 40)), copy, insert);
}

export function drawReasoning(row: AnswerRow, chat: Chat, open: boolean, thinking: boolean): HTMLElement {
  const toggle = el('button', {
    type: 'button', class: 'fold quiet', 'aria-expanded': String(open), 'data-part': 'reasoning',
    onclick: () => { chat.ui.set(`${row.key}~`, !open); chat.redraw(); },
  }, icon(open ? 'chevron-down' : 'chevron-right'), icon('lightbulb-sparkle'), t(thinking ? 'thinkingNow' : 'thought'));
  return el('article', { class: 'row reasoning' }, toggle, open && el('div', { class: 'reasoning-text' }, visibleProse(row.reasoning)));
}

export function drawGap(row: AnswerRow, chat: Chat): HTMLElement {
  return el('article', { class: 'row quiet' }, row.gap ? t('gap') : null,
    row.artifact && el('button', { type: 'button', class: 'link', 'data-part': 'whole', onclick: () => chat.perform({ do: 'openArtifact', artifact: row.artifact! }) }, t('wholeAnswer')));
}
