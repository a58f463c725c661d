// Goes back to a prompt with the files. What would change the sidecar says first; a person
// says yes to exactly that, and may look at the diffs before.
import * as vscode from 'vscode';
import type { FileChange, Requests } from '../protocol';
import type { Sidecar } from '../sidecar/api';
import { failure } from '../sidecar/failure';
import { openDiffs } from './diff';
import { filesSince } from './read';
import { detailOf } from './undo';

type Restore = Requests['agent/session/restore'];

/** The session that goes on from before the prompt; undefined: nothing was done. */
export async function restore(sidecar: Pick<Sidecar, 'request'>, sessionId: string, seq: number): Promise<string | undefined> {
  let would: Restore['result'];
  try {
    would = await sidecar.request('agent/session/restore', { sessionId, seq, dryRun: true });
  } catch (error) {
    if (failure(error).kind === 'session_busy') throw new Error(vscode.l10n.t('The agent is at work in this session. Stop it first, or wait until it is done.'));
    throw error;
  }
  for (;;) {
    if (!(await agreed(sidecar, sessionId, seq, would))) return undefined;
    const done = await sidecar.request('agent/session/restore', { sessionId, seq, confirm: true, digest: would.digest, ...(would.conflicts.length > 0 && { skip: 'conflicts' as const }) });
    if (done.session) return done.session.id;
    void vscode.window.showInformationMessage(vscode.l10n.t('Nothing was restored: the files have changed meanwhile. Look again.'));
    would = done;
  }
}

/** Shows what would be done, as often as somebody wants to look at the diffs. */
async function agreed(sidecar: Pick<Sidecar, 'request'>, sessionId: string, seq: number, would: Restore['result']): Promise<boolean> {
  const yes = would.conflicts.length > 0 ? vscode.l10n.t('Restore Without These Files') : vscode.l10n.t('Restore');
  const look = vscode.l10n.t('Show Changes');
  const looks = would.changes.length > 0 ? [look] : [];
  const answer = await vscode.window.showWarningMessage(question(would.changes), { modal: true, detail: detailOf(would, vscode.l10n.t('The conversation goes on in a fork that ends before this prompt. This session stays, and its undo can be undone.')) }, yes, ...looks);
  if (answer !== look) return answer === yes;
  await openDiffs(vscode.l10n.t('What would be restored'), await filesSince(sidecar, sessionId, seq));
  return (await vscode.window.showWarningMessage(question(would.changes), yes, vscode.l10n.t('Cancel'))) === yes;
}

function question(changes: readonly FileChange[]): string {
  if (changes.length === 0) return vscode.l10n.t('No file would change. Go on from before this prompt?');
  if (changes.length === 1) return vscode.l10n.t('Restore a file to before this prompt?');
  return vscode.l10n.t('Restore {0} files to before this prompt?', changes.length);
}
