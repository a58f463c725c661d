// A file as it was before the agent's change, beside the file as it is now.
import * as fs from 'node:fs/promises';
import * as vscode from 'vscode';
import { documentOf, side } from '../documents/sides';
import { plain } from '../text/plain';
import type { Changed } from './model';

/** Each side of a diff; undefined: there was, or is, no file. */
export interface Sides { file: vscode.Uri; before?: vscode.Uri; after?: vscode.Uri }

/** Left what it was, right what it is: the file itself, so that it can be edited there. undefined: what it was is not kept. */
export async function sides(change: Changed): Promise<Sides | undefined> {
  const file = vscode.Uri.parse(change.uri, true);
  const exists = file.scheme === 'file' && (await fs.stat(file.fsPath).then((s) => s.isFile(), () => false));
  const after = exists ? { after: file } : {};
  const checkpoint = change.checkpoint === undefined ? undefined : documentOf(change.checkpoint);
  if (checkpoint) return { file, before: side(file, checkpoint), ...after };
  if (change.kind === 'created') return { file, ...after };
  // A file that was only moved is what it was.
  if (change.kind === 'moved' && change.additions + change.deletions === 0 && exists) return { file, before: file, after: file };
  return undefined;
}

export async function openDiff(change: Changed): Promise<void> {
  const name = change.kind === 'moved' && change.from !== undefined ? `${change.from} → ${change.path}` : change.path;
  const shown = await sides(change);
  if (!shown) throw new Error(vscode.l10n.t('The previous content was not kept: {0}', plain(name)));
  await vscode.commands.executeCommand('vscode.diff', shown.before ?? side(shown.file), shown.after ?? side(shown.file), vscode.l10n.t('{0} (before the agent ↔ now)', plain(name, 80)), { preview: true });
}

export async function openDiffs(title: string, changes: readonly Changed[]): Promise<void> {
  const all = await Promise.all(changes.map(sides));
  const known = all.filter((s) => s !== undefined);
  const lost = changes.filter((_, i) => !all[i]);
  if (lost.length === 1) void vscode.window.showInformationMessage(vscode.l10n.t('The previous content was not kept: {0}', plain(lost[0]!.path)));
  else if (lost.length > 1) void vscode.window.showInformationMessage(vscode.l10n.t('The previous contents of {0} files are no longer kept.', lost.length));
  if (known.length > 0) await vscode.commands.executeCommand('vscode.changes', title, known.map((s) => [s.file, s.before, s.after]));
}
