// Code of an answer, put where the person works: only where the cursor is, only into an
// editor of the workspace or one without a file, and only because they pressed the button.
import * as vscode from 'vscode';

export async function insert(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !takes(editor.document)) throw new Error(vscode.l10n.t('Open a file in the workspace, and put the cursor where the code belongs.'));
  await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

function takes(document: vscode.TextDocument): boolean {
  if (document.uri.scheme === 'untitled') return true;
  return document.uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(document.uri) !== undefined;
}
