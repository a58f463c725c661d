// An answer of the model: blocks of Markdown, fences with copy and insert, and what it
// thought before, folded.
import { visibleProse } from '../../text/visible';
import { paint } from '../code/paint';
import { el, icon, mount, remount } from '../dom';
import { prose, type Node as MdNode } from '../markdown/render';
import type { Segment } from '../markdown/segments';
import type { AnswerRow } from '../conversation/model';
import { t } from '../strings';
import type { Chat } from './chat';
import { codeBody, codeHead, codesIn } from './code';

/** What a piece of Markdown was drawn from. */
const drawn = new WeakMap<Element, MdNode[]>();
/** What shows a closed segment of code. */
const codes = new WeakMap<Segment, HTMLElement>();

export function drawSegment(row: AnswerRow, s: Segment, chat: Chat): HTMLElement {
  const node = el('article', { class: `row answer${s.index === 0 ? ' first' : ''}`, 'aria-label': s.index === 0 ? t('assistant') : undefined });
  if (s.kind === 'prose') {
    const nodes = prose(s.text, s.closed);
    const markdown = el('div', { class: 'markdown' }, mount(nodes, codesIn(s, chat)));
    drawn.set(markdown, nodes);
    node.append(markdown);
    return node;
  }
  node.classList.add('fence');
  if (s.first) node.append(codeHead(s.lang, () => chat.codeOf(row.key, s.fence!), chat, s.fence));
  const { pre, code } = codeBody(s.text, s.first, s.last);
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
  const now = prose(s.text, s.closed);
  remount(markdown, was, now, codesIn(s, chat));
  drawn.set(markdown, now);
  return true;
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
