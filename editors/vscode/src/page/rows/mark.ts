// What happened beside the conversation: summaries, pruned results, another model, notices.
import { visible } from '../../text/visible';
import { el, icon } from '../dom';
import type { MarkRow, NoticeRow } from '../conversation/model';
import { t, word, type Key } from '../strings';
import type { Chat } from './chat';

const icons: Record<MarkRow['mark'], string> = {
  compacting: 'fold', compacted: 'fold', not_compacted: 'warning', pruned: 'trash', switched: 'arrow-swap', loop: 'sync', memory: 'book', gap: 'ellipsis', continued: 'debug-continue', retried: 'refresh', mode: 'unlock', asking: 'lock', away: 'remote', here: 'device-desktop', unknown: 'question',
};

export function textOf(row: Pick<MarkRow, 'mark' | 'values'>): string {
  const one = row.mark === 'pruned' && row.values[0] === 1;
  return t(one ? 'mark_pruned_one' : `mark_${row.mark}` as Key, ...(one ? row.values.slice(1) : row.values).map((v) => (typeof v === 'number' ? v.toLocaleString() : word(row.mark === 'asking' ? 'mode' : 'reason', v))));
}

export function drawMark(row: MarkRow, chat: Chat): HTMLElement {
  const text = textOf(row);
  const open = chat.ui.isOpen(row.key, false);
  return el('article', { class: `row mark mark-${row.mark}` },
    el('div', { class: 'mark-line' }, icon(icons[row.mark]),
      row.detail
        ? el('button', { type: 'button', class: 'fold quiet', 'aria-expanded': String(open), 'data-part': 'fold', onclick: () => { chat.ui.set(row.key, !open); chat.redraw(); } }, text, icon(open ? 'chevron-down' : 'chevron-right'))
        : el('span', null, text)),
    open && row.detail && el('div', { class: 'reasoning-text' }, visible(row.detail)));
}

export function drawNotice(row: NoticeRow, chat: Chat): HTMLElement {
  const kind = row.severity === 'error' ? 'error' : row.severity === 'warning' ? 'warning' : 'info';
  return el('article', { class: `row notice ${kind}` }, icon(kind), el('span', null, visible(row.title)),
    row.about === 'sandbox_unasked' && !chat.readOnly && el('button', { type: 'button', class: 'link', 'data-part': 'askAgain', onclick: () => chat.perform({ do: 'askAgain' }) }, t('askAgain')));
}
