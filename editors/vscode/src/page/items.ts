// Makes the flat list of what is shown out of the rows: an answer is one item a block, a
// sub-agent's rows follow its card, further in. Items of rows that did not change are
// taken from the last time.
import type { Item } from './list';
import { Segmenter, type Segment } from './markdown/segments';
import { drawGap, drawReasoning, drawSegment, redrawSegment } from './rows/answer';
import { agentOpen, drawCall, drawWriting } from './rows/call';
import type { Chat } from './rows/chat';
import { drawEnd, offers } from './rows/end';
import { drawMark, drawNotice } from './rows/mark';
import { drawPrompt } from './rows/prompt';
import type { AnswerRow, CallRow, Model, Row, Thread } from './conversation/model';

interface Known { version: string; items: Item[] }

export class Items {
  private known = new Map<string, Known>();
  private answers = new Map<string, Segmenter>();

  constructor(private readonly chat: Chat) {}

  /** The text of a fence of an answer. */
  codeOf(key: string, fence: number): string {
    return this.answers.get(key)?.codeOf(fence) ?? '';
  }

  fence(key: string, fence: number): Segment[] {
    return this.answers.get(key)?.ofFence(fence) ?? [];
  }

  of(m: Model): Item[] {
    const items: Item[] = [];
    this.thread(m, m.root, 0, items);
    return items;
  }

  forget(): void {
    this.known.clear();
    this.answers.clear();
  }

  private thread(m: Model, thread: Thread, depth: number, into: Item[]): void {
    for (const row of thread.rows) {
      const version = `${m.generation}.${row.v}.${this.chat.ui.version(row.key)}.${depth}${row.kind === 'end' ? `.${m.undone.get(row.runId ?? '')?.size ?? 0}.${m.kept.get(row.runId ?? '')?.size ?? 0}.${offers(row, this.chat).join()}` : ''}`;
      let known = this.known.get(row.key);
      if (!known || known.version !== version) {
        known = { version, items: this.row(row, depth, version, known) };
        this.known.set(row.key, known);
      }
      for (const i of known.items) into.push(i);
      if (row.kind === 'call' && row.agent && agentOpen(row, this.chat)) {
        for (const t of m.agents.get(row.callId) ?? []) this.thread(m, t, depth + 1, into);
      }
    }
    for (const [callId, w] of thread.writing) {
      if (thread.calls.has(callId)) continue;
      into.push({ key: `${thread.key}/w${callId}`, version: `${w.tool}.${w.bytes >> 8}`, estimate: 26, draw: () => inset(drawWriting(w), depth) });
    }
  }

  private row(row: Row, depth: number, version: string, before: Known | undefined): Item[] {
    const item = (name: string, estimate: number, draw: () => HTMLElement, v = version): Item =>
      ({ key: row.key + name, version: v, estimate, draw: () => inset(draw(), depth) });
    switch (row.kind) {
      case 'prompt': return (depth && row.synthetic) || !row.blocks.length ? [] // what a sub-agent was asked stands in its card
        : [item('', 56, () => drawPrompt(row, this.chat))];
      case 'answer': return this.answer(row, depth, version, item, before);
      case 'call': return [item('', 26, () => drawCall(row as CallRow, this.chat))];
      case 'mark': return [item('', 26, () => drawMark(row, this.chat))];
      case 'notice': return [item('', 30, () => drawNotice(row, this.chat))];
      case 'end': return depth || (row.stopReason === 'end_turn' && !row.changes.length && !row.message && !row.usage?.cost) ? [] : [item('', row.changes.length ? 90 : 30, () => drawEnd(row, this.chat))];
    }
  }

  private answer(row: AnswerRow, depth: number, now: string, item: (name: string, estimate: number, draw: () => HTMLElement, v?: string) => Item, before: Known | undefined): Item[] {
    const items: Item[] = [];
    const thinking = row.open && !row.text;
    if (row.reasoning) {
      const open = this.chat.ui.isOpen(`${row.key}~`, false);
      // While it is folded its growing text is not drawn.
      items.push(item('~', 26, () => drawReasoning(row, this.chat, open, thinking), open ? now : `${thinking}.c.${depth}`));
    }
    let cut = this.answers.get(row.key);
    if (!cut) this.answers.set(row.key, cut = new Segmenter());
    cut.update(row.text, !row.open);
    const ended = new Set(cut.segments.filter((s) => s.last).map((s) => s.fence)); // their code gets its colours
    const old = new Map(before?.items.map((i) => [i.key, i]));
    for (const s of cut.segments) {
      // Closed is closed: its text says all, whatever happens to the row.
      const version = s.closed ? `closed.${s.first ?? ''}${s.last ?? ''}${s.kind === 'code' && ended.has(s.fence)}.${depth}.${s.text.length}.${now.slice(0, now.indexOf('.'))}` : now;
      const was = s.closed ? old.get(`${row.key}.${s.index}`) : undefined;
      items.push(was && was.version === version ? was : { ...item(`.${s.index}`, estimate(s), () => drawSegment(row, s, this.chat), version), redraw: (node) => redrawSegment(node, row, s, this.chat) });
    }
    if (row.gap || row.artifact) items.push(item('!', 26, () => drawGap(row, this.chat)));
    return items;
  }
}

const estimate = (s: Segment) => (s.kind === 'code' ? 30 + 18 * (s.text.split('\n').length) : 12 + 20 * Math.ceil(s.text.length / 55));

function inset(node: HTMLElement, depth: number): HTMLElement {
  if (depth) node.classList.add('inset', `inset-${Math.min(depth, 3)}`);
  return node;
}
