// Cuts an answer into segments while it comes: each top-level block is one, a long
// fence several. A segment that is closed never changes again, so only the last one is
// parsed and drawn anew, whatever the length of the answer. The same text gives the
// same segments in whatever pieces it came.
import { blocks } from './parser';

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

/** So many characters of one block are kept together; soon behind them it is cut at a line, or at a blank. */
export const blockLimit = 4 * 1024;
/** A fence is cut into segments of so many lines. */
export const codeLines = 120;
const slack = 1024;
/** Of a text as much is parsed at once; more than the longest piece of it that is kept whole. */
const window = 4 * blockLimit + slack;

interface OpenFence { marker: string; length: number; indent: number; lang: string; number: number; first: boolean }

export class Segmenter {
  segments: Segment[] = [];
  private closed = 0;
  private at = 0;
  private fence: OpenFence | undefined;
  private fences = 0;
  private text = '';
  private done = false;

  /** The answer as it is now. Text that does not begin with what was there starts anew. */
  update(text: string, done: boolean): void {
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
    Object.assign(this, { segments: [], closed: 0, at: 0, fence: undefined, fences: 0 });
  }

  private close(s: Omit<Segment, 'index' | 'closed'>, at: number) {
    this.segments.push({ ...s, index: this.closed++, closed: true });
    this.at = at;
  }

  private open(s: Omit<Segment, 'index' | 'closed'>) {
    this.segments.push({ ...s, index: this.closed, closed: false });
  }

  /** Takes blocks that nothing can change any more; false when no more can be said. */
  private prose(): boolean {
    const rest = this.text.slice(this.at, this.at + window);
    if (!rest.trim()) return false;
    const atEnd = this.at + rest.length === this.text.length;
    const whole = this.done && atEnd ? rest : rest.slice(0, rest.lastIndexOf('\n') + 1);
    const lines = lineStarts(whole);
    const found = blocks(whole);
    for (const [i, b] of found.entries()) {
      const start = lines[b.start];
      const end = lines[b.end] ?? whole.length;
      if (b.fence) {
        this.enter(whole.slice(start, lines[b.start + 1] ?? whole.length), this.at + start);
        return true;
      }
      if (end - start >= blockLimit + slack) return this.cut(whole, start);
      if (i < found.length - 1) {
        this.segments.push({ kind: 'prose', text: whole.slice(start, end).replace(/\n+$/, ''), index: this.closed++, closed: true });
        continue;
      }
      // The last block stays open: what comes may belong to it.
      this.at += start;
    }
    return this.tail(found.length > 0 ? rest.slice(lines[found.at(-1)!.start]) : rest, atEnd);
  }

  /** What may still change: the last block, and a line that is not complete. */
  private tail(rest: string, atEnd: boolean): boolean {
    const alone = rest.indexOf('\n') < 0;
    if (rest.length >= (alone ? blockLimit + slack : 4 * blockLimit)) return this.cut(rest, 0);
    if (!atEnd) return true;
    const text = rest.replace(/\n+$/, '');
    if (!text.trim()) return false;
    if (this.done) this.close({ kind: 'prose', text }, this.text.length);
    else this.open({ kind: 'prose', text });
    return false;
  }

  /** Cuts a long block where its next piece can begin: at a line, best one that is not indented, or at a blank. */
  private cut(text: string, start: number): boolean {
    const from = start + blockLimit;
    const region = text.slice(from, from + slack);
    const place = [/\n(?=\S)/, /\n/, / /].map((r) => region.search(r)).find((i) => i >= 0);
    const end = place === undefined ? from + slack : from + place + 1;
    this.close({ kind: 'prose', text: text.slice(start, end).replace(/\n+$/, '') }, this.at + end);
    return true;
  }

  private enter(line: string, at: number) {
    const m = /^( {0,3})(`{3,}|~{3,})(.*)/.exec(line)!;
    this.fence = { indent: m[1].length, marker: m[2][0], length: m[2].length, lang: m[3].trim().split(/\s/)[0] ?? '', number: this.fences++, first: true };
    this.at = at + line.length;
  }

  private code(): boolean {
    const f = this.fence!;
    const ends = new RegExp(`^ {0,3}\\${f.marker}{${f.length},}[ \\t]*$`);
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
    if (partial && !/^ {0,3}[`~]*$/.test(partial)) lines.push(dedent(partial, f.indent));
    this.open(segment(false));
    return false;
  }
}

const dedent = (line: string, by: number) => (by ? line.replace(new RegExp(`^ {0,${by}}`), '') : line);

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}
