// Shows the whole of a question: the files before and after in the diff editor, everything
// else as the document that the sidecar wrote for it.
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { side } from '../documents/sides';
import type { Approval } from '../protocol';
import { plain } from '../text/plain';
import { documents, own, whole } from './documents';

/** written is the right side of a single file where a person may write in it. */
export async function review(approval: Approval, written?: vscode.Uri): Promise<void> {
  const title = vscode.l10n.t('Review: {0}', plain(approval.title, 80));
  const files = documents(approval).map((d) => ({ file: fileOf(d.path), before: own(d.before), after: own(d.after) }));
  if (files.length === 0) {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(whole(approval.approvalId)), { preview: true });
  } else if (files.length === 1) {
    await vscode.commands.executeCommand('vscode.diff', files[0]!.before, written ?? files[0]!.after, title, { preview: true });
  } else {
    await vscode.commands.executeCommand('vscode.changes', title, files.map((f) => [f.file, side(f.file, f.before), side(f.file, f.after)]));
  }
}

/** A path as the sidecar writes it: relative to the first folder, else absolute. */
function fileOf(path: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder && !isAbsolute(path) ? vscode.Uri.joinPath(folder, path) : vscode.Uri.file(path);
}
