// The code of a finished fence as runs of text, each with what it is. The library makes a
// string of HTML for others; here it is given an emitter that knows no HTML, and of what
// it calls a piece of code only the kinds below are left.
import hljs from 'highlight.js/lib/core';
import { languageOf, languages } from './languages';

export const kinds = ['comment', 'string', 'number', 'keyword', 'function', 'type', 'name', 'added', 'removed'] as const;
export type Kind = (typeof kinds)[number];
export interface Run { text: string; kind?: Kind }

/** What is longer stays plain: the library's patterns take a time that grows with more than the length of what is hostile. */
export const limits = { characters: 10_000, line: 500, words: 200, members: 12, pieces: 4_000 };
/** So long a row of words without anything between them is no code, and the worst there is for those patterns. */
const wordy = new RegExp(`[\\w\\s$\\u00c0-\\u02b8]{${limits.words}}`);

/** Words that begin something in these languages, but not behind a dot: for each there the library looks through all that follows. */
const begins = 'else|new|return|throw';
const members = new Map([['c', begins], ['cpp', begins], ['csharp', `${begins}|await|class|interface|namespace|record`], ['java', `${begins}|assert|yield`]]);

function tooMuch(code: string, language: string): boolean {
  if (code.length > limits.characters || wordy.test(code) || code.split('\n').some((l) => l.length > limits.line)) return true;
  const words = members.get(language);
  return words !== undefined && (code.match(new RegExp(`\\.(?:${words})\\b`, 'g'))?.length ?? 0) > limits.members;
}

const kindOf = new Map<string, Kind>(Object.entries({
  comment: 'comment', doctag: 'comment', quote: 'comment',
  string: 'string', regexp: 'string', char: 'string', symbol: 'string', link: 'string',
  number: 'number', literal: 'number',
  keyword: 'keyword', meta: 'keyword', variable: 'name', 'variable.language': 'keyword', 'selector-tag': 'keyword',
  title: 'function', section: 'function', built_in: 'type', type: 'type', 'title.class': 'type',
  name: 'name', attr: 'name', attribute: 'name', property: 'name', 'template-variable': 'name', 'selector-class': 'name', 'selector-id': 'name',
  addition: 'added', deletion: 'removed',
} as const));

/** By its whole name, else by the shorter ones before its dots. */
function known(scope: string): Kind | undefined {
  for (let s = scope; ; s = s.slice(0, s.lastIndexOf('.'))) {
    const kind = kindOf.get(s.replace(/_+$/, ''));
    if (kind || !s.includes('.')) return kind;
  }
}

class Emitter {
  readonly runs: Run[] = [];
  private readonly within: (Kind | undefined)[] = [];

  add(text: string, kind: Kind | undefined): void {
    const last = this.runs.at(-1);
    if (last && last.kind === kind) last.text += text;
    else if (text && this.runs.push(kind ? { text, kind } : { text }) > limits.pieces) throw new Error('too many pieces');
  }

  addText(text: string): void { this.add(text, this.within.at(-1)); }
  openNode(scope: string): void { this.within.push(scope === 'subst' ? undefined : known(scope) ?? this.within.at(-1)); }
  closeNode(): void { this.within.pop(); }
  startScope(scope: string): void { this.openNode(scope); }
  endScope(): void { this.closeNode(); }
  __addSublanguage(inner: Emitter): void { for (const r of inner.runs) this.add(r.text, r.kind); }
  finalize(): void {}
  toHTML(): string { return ''; }
}

// An instance of its own: nothing is found in the document, nothing is guessed.
const reader = hljs.newInstance();
reader.configure({ __emitter: Emitter as never, languages: [] });

/** The runs of a code, which together are its text; undefined: it stays plain. */
export function runsOf(code: string, fence: string): Run[] | undefined {
  const language = languageOf(fence);
  if (!language || tooMuch(code, language)) return undefined;
  if (!reader.getLanguage(language)) reader.registerLanguage(language, languages[language]!);
  const { _emitter, errorRaised } = reader.highlight(code, { language, ignoreIllegals: true });
  const { runs } = _emitter as unknown as Emitter;
  return errorRaised || runs.map((r) => r.text).join('') !== code ? undefined : runs;
}

/** The part of the runs from one place of their text to another. */
export function cut(runs: readonly Run[], from: number, to: number): Run[] {
  const part: Run[] = [];
  let at = 0;
  for (const r of runs) {
    const text = r.text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (text) part.push({ ...r, text });
    at += r.text.length;
  }
  return part;
}
