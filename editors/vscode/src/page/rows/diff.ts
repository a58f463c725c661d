// A unified diff with its colours. A long one is folded.
import { visible } from '../../text/visible';
import { el } from '../dom';
import { t } from '../strings';

export const looksLikeDiff = (text: string) => /^--- .*\n\+\+\+ .*\n(@@|$)/m.test(text);

export interface Folding { lines: number; open: boolean; toggle(): void }

/** So much of one line is shown while a text is folded. */
const lineShown = 2000;

function linesOf(diff: string): string[] {
  const lines = diff.replace(/\n$/, '').split('\n').filter((l) => !/^\\ No newline/.test(l));
  // Of one file the title says which it is.
  return lines.filter((l) => l.startsWith('+++ ')).length === 1 && lines[0].startsWith('--- ') && lines[1]?.startsWith('+++ ') && lines.length > 2 ? lines.slice(2) : lines;
}

const diffFolded = (lines: string[], most: number) => lines.length > most + 4;
const textFolded = (lines: string[], most: number) => lines.length > most + 4 || lines.some((l) => l.length > lineShown);

/** Whether only a part of it is shown until somebody unfolds it. */
export const isFolded = (kind: 'diff' | 'text', text: string, most: number): boolean =>
  (kind === 'diff' ? diffFolded(linesOf(text), most) : textFolded(text.replace(/\n+$/, '').split('\n'), most));

export function drawDiff(text: string, fold: Folding): HTMLElement {
  const lines = linesOf(text);
  const folded = diffFolded(lines, fold.lines);
  const shown = folded && !fold.open ? lines.slice(0, fold.lines) : lines;
  let head = false;
  return el('div', { class: 'diff-frame' },
    el('pre', { class: 'diff', tabindex: '0', 'aria-label': t('diff') }, shown.map((l) => {
      const [kind, now] = kindOf(l, head);
      head = now;
      return el('span', { class: `diff-line ${kind}` }, `${visible(l)}\n`);
    })),
    folded && more(lines.length, fold));
}

/** The kind of a line; `---` is a head only before the first hunk of its file. */
function kindOf(line: string, inHunk: boolean): [string, boolean] {
  if (line.startsWith('@@')) return ['hunk', true];
  if (!inHunk && /^(---|\+\+\+) /.test(line)) return ['file', false];
  if (/^--- (a\/|\/dev\/null)/.test(line)) return ['file', false];
  if (line.startsWith('+')) return ['added', inHunk];
  if (line.startsWith('-')) return ['removed', inHunk];
  return ['same', inHunk];
}

/** Text of a tool: the beginning, or the end of what still comes. */
export function drawText(text: string, fold: Folding, label: string, tail = false): HTMLElement {
  const lines = text.replace(/\n+$/, '').split('\n');
  const folded = textFolded(lines, fold.lines);
  let shown = folded && !fold.open ? (tail ? lines.slice(-fold.lines) : lines.slice(0, fold.lines)) : lines;
  if (!fold.open) shown = shown.map((l) => (l.length > lineShown ? `${l.slice(0, lineShown)}…` : l));
  return el('div', { class: 'diff-frame' },
    el('pre', { class: 'output', tabindex: '0', 'aria-label': label }, shown.join('\n')),
    folded && more(lines.length, fold));
}

function more(lines: number, fold: Folding): HTMLElement {
  return el('button', { type: 'button', class: 'link show-all', 'aria-expanded': String(fold.open), 'data-part': 'show-all', onclick: fold.toggle }, fold.open ? t('showLess') : lines === 1 ? t('showLine') : t('showAll', lines));
}
