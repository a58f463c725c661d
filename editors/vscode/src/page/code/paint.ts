// Gives the code of finished fences its colours, when there is nothing else to do: a row
// shows plain text at once. A code that is drawn again has its colours from the start.
import { visible } from '../../text/visible';
import { el } from '../dom';
import type { Segment } from '../markdown/segments';
import { soon } from './idle';
import { languageOf } from './languages';
import { cut, limits, type Run, runsOf } from './runs';

/** By the first segment of a fence; null: it stays plain. */
const known = new WeakMap<Segment, Run[] | null>();

/** Colours what shows a segment, if its fence has come to its end. */
export function paint(code: HTMLElement, s: Segment, fence: readonly Segment[]): void {
  const first = fence[0];
  if (!first || !fence.at(-1)!.last || !languageOf(first.lang ?? '')) return;
  const now = known.get(first);
  if (now !== undefined) show(code, s, fence, now);
  else soon(() => {
    if (!code.isConnected) return; // it comes back with another element
    let runs = known.get(first);
    if (runs === undefined) known.set(first, runs = read(fence));
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed || !selection.containsNode(code, true)) show(code, s, fence, runs); // else somebody is about to copy
  });
}

function read(fence: readonly Segment[]): Run[] | null {
  if (fence.reduce((sum, s) => sum + s.text.length, 0) > limits.characters) return null; // it is not even put together
  return runsOf(fence.map((s) => visible(s.text)).join('\n'), fence[0]!.lang!) ?? null;
}

function show(code: HTMLElement, s: Segment, fence: readonly Segment[], runs: Run[] | null): void {
  if (!runs) return;
  let from = 0;
  for (const before of fence.slice(0, fence.indexOf(s))) from += visible(before.text).length + 1;
  code.replaceChildren(...cut(runs, from, from + visible(s.text).length).map((r) => (r.kind ? el('span', { class: `code-${r.kind}` }, r.text) : r.text)));
}
