// Where the person is: the file and the lines that go with a prompt unless taken away.
import * as vscode from 'vscode';
import type { Whereabouts } from './messages';

/** A path as the sidecar writes it: relative to the first folder, else absolute. */
export function sidecarPath(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder?.index === 0 ? vscode.workspace.asRelativePath(uri, false) : uri.fsPath;
}

export function whereabouts(editor: vscode.TextEditor | undefined): Whereabouts | null {
  if (!editor || editor.document.uri.scheme !== 'file') return null;
  const folder = vscode.workspace.getWorkspaceFolder(editor.document.uri);
  if (!folder) return null;
  const { selection } = editor;
  // A selection that ends at the start of a line does not have that line.
  const last = !selection.isEmpty && selection.end.character === 0 ? selection.end.line - 1 : selection.end.line;
  return {
    uri: editor.document.uri.toString(),
    path: sidecarPath(editor.document.uri),
    startLine: selection.start.line + 1,
    endLine: Math.max(last, selection.start.line) + 1,
    empty: selection.isEmpty,
  };
}

/** Tells each change, at most ten a second: a person who selects with the mouse makes many. */
export function watchWhereabouts(told: (w: Whereabouts | null) => void): vscode.Disposable {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      told(whereabouts(vscode.window.activeTextEditor));
    }, 100);
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(soon),
    vscode.window.onDidChangeTextEditorSelection((e) => { if (e.textEditor === vscode.window.activeTextEditor) soon(); }),
    { dispose: () => clearTimeout(timer) },
  );
}
