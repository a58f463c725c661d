// Whole outputs as documents of the editor: read only, page by page, and never more than
// an editor shows well. The rest is a file, and the last line names it.
import * as vscode from 'vscode';
import type { Sidecar } from '../sidecar/api';
import { failure } from '../sidecar/failure';

export const scheme = 'agent-artifact';
const most = 8 * 1024 * 1024;

/** The text of an artifact: all of it, or its first 8 MiB and a line that says so. */
export async function artifactText(sidecar: Pick<Sidecar, 'request'>, uri: string, stopped: { readonly isCancellationRequested: boolean }, limit = most): Promise<string> {
  const pieces: string[] = [];
  let offset = 0;
  for (;;) {
    const piece = await sidecar.request('agent/artifact', { uri, view: 'range', offset, length: Math.min(262_144, limit - offset) });
    pieces.push(piece.data);
    if (piece.eof || piece.nextOffset === null || piece.nextOffset === undefined) return pieces.join('');
    if (stopped.isCancellationRequested) return '';
    if (piece.nextOffset <= offset || piece.nextOffset >= limit) {
      pieces.push('\n', vscode.l10n.t('… the rest is not shown: {0} of {1} bytes. The full output is {2}', piece.nextOffset, piece.bytes, vscode.Uri.parse(piece.fileUri).fsPath), '\n');
      return pieces.join('');
    }
    offset = piece.nextOffset;
  }
}

/** The bytes of an artifact, as they are: for what is saved as a file. */
export async function artifactBytes(sidecar: Pick<Sidecar, 'request'>, artifactId: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let offset: number | null | undefined = 0; offset !== null && offset !== undefined; ) {
    const piece: { data: string; nextOffset?: number | null } = await sidecar.request('agent/artifact', { artifactId, view: 'range', offset, encoding: 'base64' });
    pieces.push(Buffer.from(piece.data, 'base64'));
    if (typeof piece.nextOffset === 'number' && piece.nextOffset <= offset) throw new Error('the sidecar gave no next piece');
    offset = piece.nextOffset;
  }
  return Buffer.concat(pieces);
}

export async function openArtifact(sidecar: Pick<Sidecar, 'request'>, artifact: { artifactId: string; uri: string }): Promise<void> {
  // The name of a document is asked of the sidecar, not taken from the page.
  const { uri } = await sidecar.request('agent/artifact', { artifactId: artifact.artifactId, view: 'meta' });
  const at = vscode.Uri.parse(uri, true);
  if (at.scheme !== scheme) throw new Error(vscode.l10n.t('This is not an output: {0}', uri));
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(at), { preview: true });
}

/**
 * What the language client's `provideTextDocumentContent` middleware asks for artifacts:
 * the client registers the scheme, and would show the first 256 KiB.
 */
export function artifactContent(sidecar: Pick<Sidecar, 'request'>, uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
  return artifactText(sidecar, uri.toString(), token).catch((error) => vscode.l10n.t('This output cannot be shown: {0}', failure(error).message));
}
