// What people and models write and CommonMark reads otherwise: names of code, formulas,
// and bold in languages that put no blanks between words.
import type MarkdownIt from 'markdown-it';

/** `__init__`, `__tests__`: a name, not a bold word. */
const name = /__[a-z][a-z0-9]*(?:_[a-z0-9]+)*__(?!\w)/y;
/** A formula is left as it was written. */
const formula = /\\\([^]{1,1000}?\\\)|\\\[[^]{1,1000}?\\\]|\$\$[^]{1,1000}?\$\$/y;
/** Letters of languages without blanks, and the punctuation between them. */
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3001-\u303f\uff01-\uff65]$/u;

export function asWritten(markdown: InstanceType<typeof MarkdownIt>): void {
  for (const [rule, pattern] of Object.entries({ name, formula })) {
    markdown.inline.ruler.before('escape', rule, (state, silent) => {
      pattern.lastIndex = state.pos;
      const text = pattern.exec(state.src)?.[0];
      if (!text || state.pos + text.length > state.posMax || (rule === 'name' && /\w/.test(state.src[state.pos - 1] ?? ''))) return false;
      if (!silent) state.pending += text;
      state.pos += text.length;
      return true;
    });
  }
  // A mark between a letter and a sign, as in **注意：**请, would be neither the begin nor the end of anything.
  markdown.inline.State = class extends markdown.inline.State {
    override scanDelims(start: number, canSplitWord: boolean) {
      const found = super.scanDelims(start, canSplitWord);
      if (!canSplitWord) return found;
      const before = [...this.src.slice(Math.max(0, start - 2), start)].at(-1) ?? ' ';
      const behind = [...this.src.slice(start + found.length, Math.min(this.posMax, start + found.length + 2))][0] ?? ' ';
      if (unspaced.test(before) && /\S/.test(behind)) found.can_open = true;
      if (unspaced.test(behind) && /\S/.test(before)) found.can_close = true;
      return found;
    }
  };
}
