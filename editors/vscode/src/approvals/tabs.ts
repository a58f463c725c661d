// The tabs of a review go with their question: what they show is not asked any more, and
// the sidecar does not keep it.
import * as vscode from 'vscode';
import type { Approval } from '../protocol';
import { isReview, proposalScheme, questionOf } from './documents';

/** Closes the reviews of questions that are not open. What a person has pinned stays, as long as the window still has its text. */
export async function closeReviews(open: readonly Approval[], pinned: 'keep' | 'close', settle: (uris: vscode.Uri[]) => Promise<void>): Promise<void> {
  const left = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ input, isPinned }) => {
    const reviewed = shown(input).filter(isReview);
    return reviewed.length > 0 && !reviewed.some((uri) => questionOf(uri, open)) && !(isPinned && pinned === 'keep');
  });
  await settle(left.flatMap(({ input }) => shown(input)).filter((uri) => uri.scheme === proposalScheme));
  if (left.length > 0) await vscode.window.tabGroups.close(left, true);
}

/** What a tab shows. Of several files the editor says it as well, though its API has no name for that yet; its label has their number in it. */
function shown(input: unknown): vscode.Uri[] {
  if (input instanceof vscode.TabInputText) return [input.uri];
  const { textDiffs } = (input ?? {}) as { textDiffs?: unknown };
  const diffs: unknown[] = Array.isArray(textDiffs) ? textDiffs : [input];
  return diffs.flatMap((d) => (d instanceof vscode.TabInputTextDiff ? [d.original, d.modified] : [])).filter((uri) => uri !== undefined);
}
