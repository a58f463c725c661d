// A problem for the model. The person has asked for it to be fixed; its words are those of others, and go beside the prompt as such.
import type { Diagnostic } from 'vscode';
import type { ContentBlock } from '../protocol';

/** What of a problem goes along: its words can be of any length. */
const mostWords = 2000;

export interface Problem { words: string; report: ContentBlock }

/** What the person asks for, and what somebody else says is wrong. */
export function problemOf(problem: Pick<Diagnostic, 'message' | 'source' | 'code' | 'range'>): Problem {
  const code = typeof problem.code === 'object' ? problem.code.value : problem.code;
  const by = [problem.source, code].filter((w) => w !== undefined && w !== '').join(' ');
  return {
    words: `Fix this problem in line ${problem.range.start.line + 1}.`,
    report: { type: 'resource_link', uri: 'editor:/problem.txt', text: `${by === '' ? '' : `${by}: `}${problem.message}`.slice(0, mostWords) },
  };
}
