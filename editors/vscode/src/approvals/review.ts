// Shows the whole of a question: the files before and after in the diff editor, everything
// else as the document that the sidecar wrote for it.
import * as vscode from 'vscode';
import type { Approval } from '../protocol';
import { plain } from '../plain';

export const scheme = 'agent-diff';

/** The sidecar's document of a whole question. It is cut at 256 KiB, and says so itself. */
const document = (approvalId: string) => vscode.Uri.from({ scheme, path: `/${approvalId}.diff` });

/** The files of a question, each with its documents before and after. */
function documentsOf(approval: Approval): { path: string; before: string; after: string }[] {
  return (approval.preview as { documents?: { path: string; before: string; after: string }[] } | undefined)?.documents ?? [];
}

export async function review(approval: Approval): Promise<void> {
  const title = vscode.l10n.t('Review: {0}', plain(approval.title, 80));
  const documents = documentsOf(approval).map((d) => ({
    label: vscode.Uri.from({ scheme, path: d.path.startsWith('/') ? d.path : `/${d.path}` }),
    before: own(d.before),
    after: own(d.after),
  }));
  if (documents.length === 0) {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(document(approval.approvalId)), { preview: true });
  } else if (documents.length === 1) {
    await vscode.commands.executeCommand('vscode.diff', documents[0]!.before, documents[0]!.after, title, { preview: true });
  } else {
    await vscode.commands.executeCommand('vscode.changes', title, documents.map((d) => [d.label, d.before, d.after]));
  }
}

/** Documents of a review are the sidecar's own: a question cannot have another one opened. */
function own(uri: string): vscode.Uri {
  const at = vscode.Uri.parse(uri, true);
  if (at.scheme !== scheme) throw new Error(vscode.l10n.t('This is no document of a review: {0}', plain(uri)));
  return at;
}

/** The question that a document of a review belongs to, where its address says so. */
export function questionOf(uri: vscode.Uri | undefined, open: readonly Approval[]): Approval | undefined {
  if (!uri || uri.scheme !== scheme) return undefined;
  const text = uri.toString();
  return open.find((a) => text === document(a.approvalId).toString()
    || documentsOf(a).some((d) => vscode.Uri.parse(d.before).toString() === text || vscode.Uri.parse(d.after).toString() === text));
}
