// The tabs of a review go with their question: what they show is not asked any more, and
// the sidecar does not keep it.
import * as vscode from 'vscode';
import type { Approval } from '../protocol';
import { isReview, questionOf } from './documents';

/** Reviews of several files: the editor does not say what such a tab holds, only what it is called. */
const several = new Map<string, string>();

export function reviewed(approval: Approval, title: string, files: number): void {
  if (files > 1) several.set(approval.approvalId, title);
}

/** Closes the reviews of questions that are not open. What a person has pinned stays, as long as the window still has its text. */
export async function closeReviews(open: readonly Approval[], pinned: 'keep' | 'close'): Promise<void> {
  const over = new Set<string>();
  for (const [id, title] of several) {
    if (open.some((a) => a.approvalId === id)) continue;
    several.delete(id);
    over.add(title);
  }
  for (const title of several.values()) over.delete(title);
  const left = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ input, label, isPinned }) => {
    if (isPinned && pinned === 'keep') return false;
    const uri = input instanceof vscode.TabInputTextDiff ? input.modified : input instanceof vscode.TabInputText ? input.uri : undefined;
    return uri ? isReview(uri) && !questionOf(uri, open) : over.has(label);
  });
  if (left.length > 0) await vscode.window.tabGroups.close(left, true);
}
