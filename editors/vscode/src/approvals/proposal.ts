// A proposed change that a person may change before they accept it: the right side of its
// review is a document of its own, in memory. Only a command says yes to it.
import * as vscode from 'vscode';
import type { Approval } from '../protocol';
import type { Sidecar } from '../sidecar/api';
import { plain } from '../text/plain';
import { answer } from './answer';
import { documents, own, proposalScheme } from './documents';
import { editedInput, isEditable } from './edited';

interface Held { bytes: Uint8Array; before: string; proposed: string; mtime: number }

export class Proposals implements vscode.FileSystemProvider {
  private readonly held = new Map<string, Held>();
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly edits = new vscode.EventEmitter<void>();
  /** Somebody writes in a proposal, or has closed one. */
  readonly onEdits = this.edits.event;

  constructor(private readonly sidecar: Pick<Sidecar, 'request'>) {}

  register(): vscode.Disposable {
    const ours = (d: vscode.TextDocument, work = () => {}) => {
      if (d.uri.scheme !== proposalScheme) return;
      work();
      this.edits.fire();
    };
    const followed = [
      vscode.workspace.onDidCloseTextDocument((d) => ours(d, () => this.held.delete(d.uri.path))),
      vscode.workspace.onDidOpenTextDocument((d) => ours(d)), vscode.workspace.onDidChangeTextDocument((e) => ours(e.document)),
    ];
    return vscode.Disposable.from(this.changed, this.edits, ...followed, vscode.workspace.registerFileSystemProvider(proposalScheme, this, { isCaseSensitive: true }));
  }

  /** The right side of a review that can be written in; undefined where the question takes no such answer. text is what somebody has made of it already. */
  async side(approval: Approval, text?: string): Promise<vscode.Uri | undefined> {
    const document = documents(approval)[0];
    if (!isEditable(approval) || !document) return undefined;
    const uri = vscode.Uri.from({ scheme: proposalScheme, path: `/${approval.approvalId}/${document.path.replace(/^\/+/, '')}` });
    if (!this.held.has(uri.path)) {
      const [before, proposed] = await Promise.all([own(document.before), own(document.after)].map(async (d) => (await vscode.workspace.openTextDocument(d)).getText()));
      this.held.set(uri.path, { bytes: Buffer.from(text ?? proposed!), before: before!, proposed: proposed!, mtime: Date.now() });
    }
    return uri;
  }

  /** The proposal of a question that a person has changed. */
  changedBy(approval: Approval): vscode.Uri | undefined {
    return vscode.workspace.textDocuments.find((d) => d.uri.scheme === proposalScheme && d.uri.path.split('/')[1] === approval.approvalId && this.held.has(d.uri.path) && d.getText() !== this.held.get(d.uri.path)!.proposed)?.uri;
  }

  /** Yes to a question as the person has it now. What has changed meanwhile is asked about again, with their text beside it. */
  async accept(approval: Approval, uri: vscode.Uri, again: (fresh: Approval, text: string) => Promise<void>): Promise<void> {
    const held = this.held.get(uri.path);
    const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri.toString());
    if (!held || !document) return;
    const text = document.getText();
    if (text === held.proposed) return answer(this.sidecar, approval, { decision: 'once' });
    const input = text === held.before ? undefined : editedInput(approval, held.before, text);
    if (!input) throw new Error(text === held.before ? vscode.l10n.t('This would change nothing. Reject the change instead.') : vscode.l10n.t('This change cannot be made by the same call. Reject it and say what you want.'));
    const result = await this.sidecar.request('agent/approve', { approvalId: approval.approvalId, digest: approval.digest, decision: 'once', editedInput: input });
    if (result.status === 'applied') return;
    if (result.status !== 'stale' || !result.approval) return void vscode.window.showInformationMessage(vscode.l10n.t('This approval is no longer pending.'));
    void vscode.window.showWarningMessage(vscode.l10n.t('What you were asked about has changed. Nothing ran, and you are asked again.'));
    await again(result.approval, text);
  }

  /** What a tab holds when its question is gone needs nobody's answer about saving it. */
  async settle(uris: readonly vscode.Uri[]): Promise<void> {
    for (const uri of uris) await vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri.toString() && d.isDirty)?.save();
  }

  private at(uri: vscode.Uri): Held {
    const held = this.held.get(uri.path);
    if (!held) throw vscode.FileSystemError.FileNotFound(plain(uri.path));
    return held;
  }

  watch(): vscode.Disposable { return { dispose() { /* nobody else writes it */ } }; }
  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime } = this.at(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length };
  }
  readFile(uri: vscode.Uri): Uint8Array { return this.at(uri).bytes; }
  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const held = this.at(uri);
    held.bytes = bytes;
    held.mtime = Math.max(held.mtime + 1, Date.now());
  }
  readDirectory(): [string, vscode.FileType][] { return []; }
  createDirectory(uri: vscode.Uri): void { throw vscode.FileSystemError.NoPermissions(uri); }
  delete(uri: vscode.Uri): void { throw vscode.FileSystemError.NoPermissions(uri); }
  rename(uri: vscode.Uri): void { throw vscode.FileSystemError.NoPermissions(uri); }
}
