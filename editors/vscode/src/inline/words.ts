// A problem as words for the model.
import type { Diagnostic } from 'vscode';

/** What of a problem goes into a prompt: its words come from others and can be of any length. */
const mostWords = 2000;

/** A problem for the model: where it is, who says it, and its words. */
export function wordsOf(problem: Pick<Diagnostic, 'message' | 'source' | 'code' | 'range'>): string {
  const code = typeof problem.code === 'object' ? problem.code.value : problem.code;
  const by = [problem.source, code].filter((w) => w !== undefined && w !== '').join(' ');
  return `Fix this problem in line ${problem.range.start.line + 1}${by === '' ? '' : ` (${by})`}:\n\n${problem.message.slice(0, mostWords)}`;
}
