// The mode of a session. The sidecar refuses full access without a confirmation; the
// dialog that a person confirms in is the editor's.
import * as vscode from 'vscode';
import type { Sidecar } from '../sidecar/api';

/** Says whether the session has the mode now. */
export async function setMode(sidecar: Pick<Sidecar, 'request'>, sessionId: string, mode: 'agent' | 'full_access'): Promise<boolean> {
  try {
    await sidecar.request('agent/session/update', { sessionId, mode });
    return true;
  } catch (error) {
    const data = (error as { data?: { kind?: string; field?: string } }).data;
    if (data?.kind !== 'confirmation_required') throw error;
    if (data.field === 'trust') return askForTrust();
  }
  const yes = vscode.l10n.t('Give Full Access');
  // The first button takes an Enter that was pressed once too often, so it is no yes.
  const no = vscode.l10n.t('Keep Asking');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Give the agent full access in this session?'),
    { modal: true, detail: vscode.l10n.t('It then edits files, runs commands and uses the network without asking, unless your permission rules refuse it. It lasts until you switch back or the editor closes.') }, no, yes);
  if (answer !== yes) return false;
  await sidecar.request('agent/session/update', { sessionId, mode, confirm: true });
  return true;
}

async function askForTrust(): Promise<false> {
  const manage = vscode.l10n.t('Manage Workspace Trust');
  const answer = await vscode.window.showWarningMessage(vscode.l10n.t('Full access needs a trusted workspace.'), manage);
  if (answer === manage) await vscode.commands.executeCommand('workbench.trust.manage');
  return false;
}
