// Shows the whole of a question: the files before and after in the diff editor, everything
// else as the document that the sidecar wrote for it.
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { documentOf, heldBy, side } from '../documents/sides';
import type { Approval } from '../protocol';
import { plain } from '../text/plain';
import { reviewed } from './tabs';

const scheme = 'agent-diff';

/** The sidecar's document of a whole question. It is cut at 256 KiB, and says so itself. */
const whole = (approvalId: string) => vscode.Uri.from({ scheme, path: `/${approvalId}.diff` });

/** The files of a question, each with its documents before and after. */
const documents = (approval: Approval) => approval.preview?.documents ?? [];

export async function review(approval: Approval): Promise<void> {
  const title = vscode.l10n.t('Review: {0}', plain(approval.title, 80));
  const files = documents(approval).map((d) => ({ file: fileOf(d.path), before: own(d.before), after: own(d.after) }));
  reviewed(approval, title, files.length);
  if (files.length === 0) {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(whole(approval.approvalId)), { preview: true });
  } else if (files.length === 1) {
    await vscode.commands.executeCommand('vscode.diff', files[0]!.before, files[0]!.after, title, { preview: true });
  } else {
    await vscode.commands.executeCommand('vscode.changes', title, files.map((f) => [f.file, side(f.file, f.before), side(f.file, f.after)]));
  }
}

/** A path as the sidecar writes it: relative to the first folder, else absolute. */
function fileOf(path: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder && !isAbsolute(path) ? vscode.Uri.joinPath(folder, path) : vscode.Uri.file(path);
}

/** Documents of a review are the sidecar's own: a question cannot have another one opened. */
function own(uri: string): vscode.Uri {
  const at = documentOf(uri);
  if (at?.scheme !== scheme) throw new Error(vscode.l10n.t('This is no document of a review: {0}', plain(uri)));
  return at;
}

/** A document of a review, of whichever question. */
export function isReview(uri: vscode.Uri): boolean {
  return (heldBy(uri) ?? uri).scheme === scheme;
}

/** The question that a document of a review belongs to. */
export function questionOf(uri: vscode.Uri | undefined, open: readonly Approval[]): Approval | undefined {
  const text = uri && (uri.scheme === scheme ? uri : heldBy(uri))?.toString();
  if (text === undefined) return undefined;
  const same = (other: string) => vscode.Uri.parse(other).toString() === text;
  return open.find((a) => text === whole(a.approvalId).toString() || documents(a).some((d) => same(d.before) || same(d.after)));
}
