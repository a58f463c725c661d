// The list of files that the current session has changed, in a view of the editor.
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { plain } from '../text/plain';
import type { Changed, RunChanges } from './model';

export type Node = { run: RunChanges; file?: undefined } | { run: RunChanges; file: Changed };

export class Tree implements vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private runs: RunChanges[] = [];

  /** What is the same is not drawn anew: the editor drops a click on a row that is drawn while the button is down. */
  set(runs: RunChanges[]): void {
    if (isDeepStrictEqual(runs, this.runs)) return;
    this.runs = runs;
    this.changed.fire();
  }

  getChildren(node?: Node): Node[] {
    if (!node) return this.runs.map((run) => ({ run }));
    return node.file ? [] : node.run.files.map((file) => ({ run: node.run, file }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.file ? fileItem(node.run, node.file) : runItem(node.run);
  }
}

function runItem(run: RunChanges): vscode.TreeItem {
  const item = new vscode.TreeItem(plain(run.title, 80), vscode.TreeItemCollapsibleState.Expanded);
  item.id = run.runId;
  item.description = run.files.length === 1 ? vscode.l10n.t('a file') : vscode.l10n.t('{0} files', run.files.length);
  item.contextValue = 'run';
  item.iconPath = new vscode.ThemeIcon('history');
  return item;
}

function fileItem(run: RunChanges, file: Changed): vscode.TreeItem {
  const uri = vscode.Uri.parse(file.uri);
  const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.None);
  item.id = `${run.runId}/${file.path}`;
  item.label = plain(file.path.slice(file.path.lastIndexOf('/') + 1));
  const moved = file.kind === 'moved' && file.from !== undefined ? `${plain(file.from)} →` : '';
  const folder = file.path.includes('/') ? plain(file.path.slice(0, file.path.lastIndexOf('/'))) : '';
  item.description = [moved, folder, `+${file.additions} −${file.deletions}`].filter((s) => s !== '').join(' ');
  item.tooltip = `${plain(file.path)} — ${kinds[file.kind]?.() ?? plain(file.kind)}`;
  item.contextValue = 'file';
  item.command = { command: 'agentSidecar.changes.open', title: vscode.l10n.t('Open Changes'), arguments: [{ run, file }] };
  return item;
}

const kinds: Record<string, () => string> = {
  created: () => vscode.l10n.t('created'),
  modified: () => vscode.l10n.t('changed'),
  deleted: () => vscode.l10n.t('deleted'),
  moved: () => vscode.l10n.t('moved'),
};
