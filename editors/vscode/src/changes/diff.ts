// A file as it was before the agent's change, beside the file as it is now.
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import { plain } from '../plain';
import type { Changed } from './model';

export const scheme = 'agent-checkpoint';
/** The side of a diff where there was or is no file. */
const nothing = 'agent-sidecar-nothing';

/** Shows nothing, for every address. */
export function provideNothing(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(nothing, { provideTextDocumentContent: () => '' });
}

/** Left what it was, right what it is: the file itself, so that it can be edited there. */
export async function sides(change: Changed): Promise<{ label: vscode.Uri; before: vscode.Uri; after: vscode.Uri }> {
  const file = vscode.Uri.parse(change.uri, true);
  const empty = vscode.Uri.from({ scheme: nothing, path: file.path });
  const exists = file.scheme === 'file' && (await fs.stat(file.fsPath).then((s) => s.isFile(), () => false));
  return { label: file, before: checkpoint(change.checkpoint) ?? empty, after: exists ? file : empty };
}

/** Only a document of the sidecar's checkpoints, whatever an answer names. */
function checkpoint(uri: string | undefined): vscode.Uri | undefined {
  if (uri === undefined || uri === '') return undefined;
  const at = vscode.Uri.parse(uri, true);
  return at.scheme === scheme ? at : undefined;
}

export async function openDiff(change: Changed): Promise<void> {
  const { before, after } = await sides(change);
  const name = change.kind === 'moved' && change.from !== undefined ? `${change.from} → ${change.path}` : change.path;
  await vscode.commands.executeCommand('vscode.diff', before, after, vscode.l10n.t('{0} (before the agent ↔ now)', plain(name, 80)), { preview: true });
}

export async function openDiffs(title: string, changes: readonly Changed[]): Promise<void> {
  const list = await Promise.all(changes.map(sides));
  await vscode.commands.executeCommand('vscode.changes', title, list.map((s) => [s.label, s.before, s.after]));
}
