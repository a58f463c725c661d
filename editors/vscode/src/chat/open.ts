// Opens what a text names: a citation, a file, a link of the web.
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { plain } from '../text/plain';
import { citation, locate, webLink, type Disk, type Folder } from './place';

/** The editor shows the end of a file that is shorter. */
const lastLine = 1_000_000_000;

const disk: Disk = {
  real: (p) => fs.realpath(p),
  isFile: async (p) => (await fs.stat(p)).isFile(),
};

export function folders(): Folder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((f) => f.uri.scheme === 'file').map((f) => ({ name: f.name, path: f.uri.fsPath }));
}

/** Opens a file of the workspace; one outside of it only when the person says yes to the place where it really is. */
export async function openPlace(named: string, line?: number, endLine?: number): Promise<void> {
  let place = await locate(named, folders(), disk, path);
  if (place.kind === 'missing' && line === undefined) {
    // A page that left the line in the path.
    const c = citation(named);
    if (c?.line !== undefined) {
      ({ line, endLine } = { endLine: undefined, ...c });
      place = await locate(c.path, folders(), disk, path);
    }
  }
  if (place.kind === 'refused') throw new Error(vscode.l10n.t('This is not in the workspace: {0}', plain(named)));
  if (place.kind === 'missing') throw new Error(vscode.l10n.t('There is no such file: {0}', plain(named)));
  if (place.kind === 'outside') {
    const open = vscode.l10n.t('Open');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('Open a file outside the workspace?'),
      { modal: true, detail: plain(place.shown, 1000) }, open);
    if (answer !== open) return;
  }
  const uri = vscode.Uri.file(place.path);
  const at = (n: number) => Math.min(n, lastLine) - 1;
  const selection = line === undefined ? undefined : new vscode.Range(at(line), 0, at(endLine ?? line), endLine === undefined ? 0 : Number.MAX_SAFE_INTEGER);
  try {
    await vscode.window.showTextDocument(uri, { preview: true, ...(selection && { selection }) });
  } catch {
    await vscode.commands.executeCommand('vscode.open', uri); // an image, or what another extension shows
  }
}

/** Only the web; the editor itself asks about a domain that it does not know. */
export async function openLink(href: string): Promise<void> {
  const link = webLink(href);
  if (!link) throw new Error(vscode.l10n.t('Only links to http and https are opened: {0}', plain(href)));
  await vscode.env.openExternal(vscode.Uri.parse(link, true));
}
