// What was asked, and what was handed to a run under way. The sidecar's own words are folded.
import type { ContentBlock } from '../../protocol';
import { visible, visibleProse } from '../../text/visible';
import type { PromptRow } from '../conversation/model';
import { el, icon, iconButton } from '../dom';
import { linked, longText } from '../places';
import { t } from '../strings';
import { drawPictures, type Chat } from './chat';

const shownLines = 12;

export function drawPrompt(row: PromptRow, chat: Chat): HTMLElement {
  const text = row.blocks.filter((b) => b.type === 'text').map((b) => b.text ?? '').join('\n\n');
  if (row.synthetic) return note(row, text, chat);
  const lines = text.split('\n');
  const long = lines.length > shownLines + 3 || text.length > 4000;
  const open = chat.ui.isOpen(row.key, false);
  const shown = long && !open ? lines.slice(0, shownLines).join('\n').slice(0, 3000) + '…' : text;
  return el('article', { class: `row prompt${row.steering ? ' steering' : ''}`, 'aria-label': t('you') },
    el('div', { class: 'bubble' },
      row.steering && el('div', { class: 'quiet small' }, icon('arrow-right'), t('steering')),
      el('div', { class: 'prompt-text' }, visibleProse(shown)),
      long && el('button', { type: 'button', class: 'link', 'data-part': 'all', onclick: () => { chat.ui.set(row.key, !open); chat.redraw(); } }, open ? t('showLess') : lines.length === 1 ? t('showLine') : t('showAll', lines.length)),
      row.blocks.filter((b) => b.type === 'artifact').map((b) => el('span', { class: 'chip' }, icon('note'), longText(b))),
      row.blocks.filter((b) => b.type === 'resource_link').map((b) => link(b, chat)),
      drawPictures(row.blocks.filter((b) => b.type === 'image').map((b) => b.uri ?? ''), row.key, chat),
      row.starts && !chat.readOnly && el('div', { class: 'prompt-tools' },
        chat.restores && iconButton('discard', 'restoreHere', () => chat.restore(row), { class: 'icon-button hover restore-prompt', 'data-part': 'restore' }),
        iconButton('edit', 'editPrompt', () => chat.edit(row), { class: 'icon-button hover edit-prompt', 'data-part': 'edit' }))));
}

/** The place that went with a prompt: its name is shown, a click opens it. */
function link(b: ContentBlock, chat: Chat): HTMLElement {
  const { path, name, lines, line, last } = linked(b);
  return el('button', { type: 'button', class: 'chip', 'data-part': `at ${path}`, title: visible(path) + lines, onclick: () => chat.perform({ do: 'open', path, ...(line && { line }), ...(last && { endLine: last }) }) },
    icon('file'), visible(name) + lines);
}

function note(row: PromptRow, text: string, chat: Chat): HTMLElement {
  const open = chat.ui.isOpen(row.key, false);
  return el('article', { class: 'row note' },
    el('button', { type: 'button', class: 'fold quiet', 'aria-expanded': String(open), 'data-part': 'fold', onclick: () => { chat.ui.set(row.key, !open); chat.redraw(); } },
      icon(open ? 'chevron-down' : 'chevron-right'), icon('info'), t('sidecarNote')),
    open && el('div', { class: 'reasoning-text' }, visible(untagged(text))));
}

/** The tags tell the model whose words these are; the row says it to the person. */
export const untagged = (text: string) => text.replace(/<system-reminder>\n?([\s\S]*?)\n?<\/system-reminder>/g, '$1');
