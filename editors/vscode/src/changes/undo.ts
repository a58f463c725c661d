// Takes back what the agent has changed. What that would be the sidecar says first; a
// person says yes to exactly that list.
import * as vscode from 'vscode';
import type { FileChange, Requests, UndoConflict } from '../protocol';
import type { Sidecar } from '../sidecar/api';
import { plain } from '../text/plain';

type Undo = Requests['agent/session/undo'];
export type UndoAnswer = Pick<Undo['result'], 'changes' | 'conflicts'>;

const mostListed = 15;

/** undefined: nothing was done. */
export async function undo(sidecar: Pick<Sidecar, 'request'>, sessionId: string, to: { callId?: string; runId?: string }, paths?: readonly string[]): Promise<UndoAnswer | undefined> {
  const what = { sessionId, to, ...(paths && { paths: [...paths] }) };
  const would = await sidecar.request('agent/session/undo', { ...what, dryRun: true });
  const merged = would.conflicts.length === 0 ? would : await sidecar.request('agent/session/undo', { ...what, dryRun: true, merge: true });
  if (would.changes.length === 0 && merged.changes.length === 0) {
    if (would.conflicts.length === 0) nothing();
    else void vscode.window.showInformationMessage([vscode.l10n.t('Nothing can be undone.'), ...conflicts(would.conflicts)].join(' '));
    return undefined;
  }
  const plainly = vscode.l10n.t('Undo');
  const merging = vscode.l10n.t('Undo and Keep My Lines');
  const files = Math.max(would.changes.length, merged.changes.length);
  const answer = await vscode.window.showWarningMessage(
    files === 1 ? vscode.l10n.t('Undo the agent’s changes to a file?') : vscode.l10n.t('Undo the agent’s changes to {0} files?', files),
    { modal: true, detail: detailOf(would, vscode.l10n.t('Its later changes there are undone too.')) },
    ...(would.changes.length > 0 ? [plainly] : []), ...(merged.changes.length > would.changes.length ? [merging] : []));
  if (answer !== plainly && answer !== merging) return undefined;
  const done = await sidecar.request('agent/session/undo', { ...what, ...(answer === merging && { merge: true }) });
  if (done.conflicts.length > 0) void vscode.window.showWarningMessage([vscode.l10n.t('Not everything was undone.'), ...conflicts(done.conflicts)].join(' '));
  return done;
}

export const nothing = () => void vscode.window.showInformationMessage(vscode.l10n.t('There is nothing to undo.'));

/** The files of an undo for a dialog, with what else is to be known, and those that stay as they are. */
export function detailOf(would: UndoAnswer, more: string): string {
  const lines = some(would.changes.map(line));
  if (lines.length > 0) lines.push('', more);
  if (would.conflicts.length > 0) lines.push('', vscode.l10n.t('These stay as they are:'), ...some(conflicts(would.conflicts)));
  return lines.join('\n');
}

const line = (c: FileChange) => (c.kind === 'moved' && c.from !== undefined ? `${plain(c.from)} → ${plain(c.path)}` : plain(c.path));
const conflicts = (list: readonly UndoConflict[]) => list.map((c) => `${plain(c.path)}: ${plain(c.reason, 300)}`);
const some = (lines: string[]) => (lines.length <= mostListed ? lines : [...lines.slice(0, mostListed), vscode.l10n.t('… and {0} more', lines.length - mostListed)]);
