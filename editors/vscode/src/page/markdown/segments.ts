// Cuts an answer into segments while it comes: each top-level block is one, a long
// one several. A segment that is closed never changes again, so only the last one is
// parsed and drawn anew, whatever the length of the answer. The same text gives the
// same segments in whatever pieces it came.
import { type Block, blocks, languageIn } from './parser';

export interface Segment {
  index: number;
  kind: 'prose' | 'code';
  text: string;
  closed: boolean;
  /** Of a fence: its language, its number in the answer, and which of its segments this is. */
  lang?: string;
  fence?: number;
  first?: boolean;
  last?: boolean;
}

/** So many characters of one block are kept together; behind them it is cut where one of its parts begins, in time at any line, or at a blank. */
export const blockLimit = 4 * 1024;
/** Up to there such a part is waited for. */
const patience = 3 * blockLimit;
/** A fence is cut into segments of so many lines. */
export const codeLines = 120;
const slack = 1024;
/** Of a text as much is parsed at once; more than the longest piece of it that is kept whole. */
const window = 4 * blockLimit + slack;

/** What is repeated of a table above each part of it is no longer. */
const longestHead = 512;

/** within: it stands in an item of a list. */
interface OpenFence { marker: string; length: number; indent: number; lang: string; number: number; first: boolean; within: boolean }

export class Segmenter {
  segments: Segment[] = [];
  private closed = 0;
  private at = 0;
  /** What stands in front of the rest: the head of the table that goes on there. */
  private lead = '';
  private fence: OpenFence | undefined;
  private fences = 0;
  private text = '';
  private done = false;

  /** The answer as it is now. Text that does not begin with what was there starts anew. */
  update(answer: string, done: boolean): void {
    const text = answer.includes('\r') ? answer.replace(done ? /\r\n/g : /\r\n|\r$/g, (end) => (end === '\r' ? '' : '\n')) : answer;
    if (text === this.text && done === this.done) return;
    if (this.done || text.length < this.text.length || !text.startsWith(this.text.slice(-64), Math.max(0, this.text.length - 64))) this.reset();
    this.text = text;
    this.done = done;
    this.segments.length = this.closed;
    while (this.fence ? this.code() : this.prose());
  }

  /** The whole text of a fence, for copying. */
  codeOf(fence: number): string {
    return this.ofFence(fence).map((s) => s.text).join('\n');
  }

  ofFence(fence: number): Segment[] {
    return this.segments.filter((s) => s.fence === fence);
  }

  private reset() {
    Object.assign(this, { segments: [], closed: 0, at: 0, lead: '', fence: undefined, fences: 0 });
  }

  private close(s: Omit<Segment, 'index' | 'closed'>, at: number, lead = '') {
    this.segments.push({ ...s, index: this.closed++, closed: true });
    this.at = at;
    this.lead = lead;
  }

  private open(s: Omit<Segment, 'index' | 'closed'>) {
    this.segments.push({ ...s, index: this.closed, closed: false });
  }

  /** Takes blocks that nothing can change any more; false when no more can be said. */
  private prose(): boolean {
    const ahead = this.text.slice(this.at, this.at + window);
    if (!ahead.trim()) return false;
    const rest = this.lead + ahead;
    const zero = this.at - this.lead.length;
    const atEnd = this.at + ahead.length === this.text.length;
    const whole = this.done && atEnd ? rest : rest.slice(0, rest.lastIndexOf('\n') + 1);
    const lines = lineStarts(whole);
    const found = blocks(whole);
    for (const [i, b] of found.entries()) {
      const start = lines[b.start];
      const end = lines[b.end] ?? whole.length;
      if (b.fence) {
        this.enter(whole.slice(start, lines[b.start + 1] ?? whole.length), zero + start, false);
        return true;
      }
      if (this.cut(whole, b, lines, zero, end - start)) return true;
      if (i < found.length - 1) {
        this.whole(whole, b, lines, zero);
        continue;
      }
      // The last block stays open: what comes may belong to it.
      if (start > 0) {
        this.at = zero + start;
        this.lead = '';
      }
    }
    return this.tail(found.length > 0 ? rest.slice(lines[found.at(-1)!.start]) : rest, atEnd);
  }

  /** What may still change: the last block, and a line that is not complete. */
  private tail(rest: string, atEnd: boolean): boolean {
    if (rest.length >= blockLimit + slack) {
      const known = rest.slice(0, 4 * blockLimit);
      const lines = lineStarts(known);
      const [b, next] = blocks(known);
      const alone = rest.indexOf('\n') < 0 && !b?.parted;
      if (alone || rest.length >= 4 * blockLimit) {
        const zero = this.at - this.lead.length;
        if (!this.cut(known, b, lines, zero, next ? lines[b.end] - lines[b.start] : Infinity)) this.whole(known, b, lines, zero);
        return true;
      }
    }
    if (!atEnd) return true;
    const text = (this.done ? rest : certain(rest)).replace(/\n+$/, '');
    if (!text.trim()) return false;
    if (this.done) this.close({ kind: 'prose', text }, this.text.length);
    else this.open({ kind: 'prose', text });
    return false;
  }

  /** A block that is followed by another. */
  private whole(text: string, b: Block, lines: number[], zero: number) {
    this.close({ kind: 'prose', text: text.slice(lines[b.start], lines[b.end]).replace(/\n+$/, '') }, zero + lines[b.end]);
  }

  /** Cuts a block that is too long; false where it is not, or where a better place may still come. */
  private cut(text: string, b: Block | undefined, lines: number[], zero: number, length: number): boolean {
    if (length < blockLimit + slack) return false;
    const start = b ? lines[b.start] : 0;
    const joint = b?.joints.map((l) => lines[l]).find((at) => at >= start + blockLimit);
    let end = joint !== undefined && joint < start + patience ? joint : undefined;
    if (end === undefined) {
      if (b?.parted && length < patience + slack) return false;
      end = somewhere(text, start + blockLimit);
      const fence = b?.inner.find((f) => lines[f.start] < end! && end! < (lines[f.end] ?? text.length));
      if (fence && fenceLine.test(text.slice(lines[fence.start], lines[fence.start + 1]))) {
        if (lines[fence.start] > start) this.close({ kind: 'prose', text: text.slice(start, lines[fence.start]).replace(/\n+$/, '') }, zero + lines[fence.start]);
        this.enter(text.slice(lines[fence.start], lines[fence.start + 1]), zero + lines[fence.start], true);
        return true;
      }
    }
    const head = b?.head && lines[b.start + b.head] - start <= longestHead ? text.slice(start, lines[b.start + b.head]) : '';
    this.close({ kind: 'prose', text: text.slice(start, end).replace(/\n+$/, '') }, zero + end, head);
    return true;
  }

  private enter(line: string, at: number, within: boolean) {
    const m = fenceLine.exec(line)!;
    this.fence = { indent: m[1].length, marker: m[2][0], length: m[2].length, lang: languageIn(m[3]), number: this.fences++, first: true, within };
    this.at = at + line.length;
    this.lead = '';
  }

  private code(): boolean {
    const f = this.fence!;
    const ends = new RegExp(`^ {0,${f.within ? f.indent + 3 : 3}}\\${f.marker}{${f.length},}[ \\t]*$`);
    const outside = /^ ?[^\s]/; // of an item of a list
    const lines: string[] = [];
    let at = this.at;
    const segment = (last: boolean) => ({ kind: 'code' as const, text: lines.join('\n'), lang: f.lang, fence: f.number, first: f.first, last });
    for (;;) {
      const end = this.text.indexOf('\n', at);
      const complete = end >= 0;
      if (!complete && (!this.done || at >= this.text.length)) break;
      const line = this.text.slice(at, complete ? end : undefined);
      const next = complete ? end + 1 : this.text.length;
      if (ends.test(line)) {
        this.close(segment(true), next);
        this.fence = undefined;
        return true;
      }
      if (f.within && outside.test(line)) {
        this.close(segment(true), at);
        this.fence = undefined;
        return true;
      }
      if (lines.length === codeLines) { // and another one follows: else this is the last segment
        this.close(segment(false), at);
        f.first = false;
        return true;
      }
      lines.push(dedent(line, f.indent));
      at = next;
    }
    if (this.done) {
      this.close(segment(true), this.text.length);
      this.fence = undefined;
      return false;
    }
    const partial = this.text.slice(at);
    // What may become the end of the fence is not shown before it is known.
    if (partial && !/^ *[`~]*$/.test(partial) && !(f.within && outside.test(partial))) lines.push(dedent(partial, f.indent));
    this.open(segment(false));
    return false;
  }
}

/** A line that is not complete and may become something else: what underlines a heading or a table, begins an item, ends a fence. */
const undecided = /^(?:[-=|:\s]+|[-=*+_#`~|>:.)[\]xX\d\s]{1,20})$/;
/** A row of a table, or the first line of what may become one. */
const row = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?\|/;

/** What will still be so whatever comes: nothing is shown as what it may not be. */
function certain(text: string): string {
  const last = text.lastIndexOf('\n') + 1;
  const known = (undecided.test(text.slice(last)) ? text.slice(0, last) : text).trimEnd();
  const line = known.lastIndexOf('\n') + 1;
  const before = known.slice(known.lastIndexOf('\n', line - 2) + 1, line);
  return row.test(known.slice(line)) && !row.test(before) ? known.slice(0, line) : known;
}

const fenceLine = /^( *)(`{3,}|~{3,})(.*)/;

/** A place in the text soon behind another: at a line, best one that is not indented, or at a blank. */
function somewhere(text: string, from: number): number {
  const region = text.slice(from, from + slack);
  const place = [/\n(?=\S)/, /\n/, / /].map((r) => region.search(r)).find((i) => i >= 0);
  return place === undefined ? from + slack : from + place + 1;
}

const dedent = (line: string, by: number) => (by ? line.replace(new RegExp(`^ {0,${by}}`), '') : line);

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}
