// The sides of a diff under the path of the file itself: where the paths of two sides
// differ, the editor takes that for a rename. What a side holds is a document of the
// sidecar, named in the query; without one it is empty.
import * as vscode from 'vscode';

const scheme = 'agent-sidecar-side';

/** Which documents of the sidecar may be a side, whatever an answer names. */
const allowed = ['agent-checkpoint', 'agent-diff'];

/** The document, if it is one of the sidecar's. */
export function documentOf(uri: string): vscode.Uri | undefined {
  const at = vscode.Uri.parse(uri, true);
  return allowed.includes(at.scheme) ? at : undefined;
}

export function side(file: vscode.Uri, document?: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme, path: file.path, query: document?.toString() ?? '' });
}

/** What a side holds; undefined: it is no side. */
export function heldBy(uri: vscode.Uri): vscode.Uri | undefined {
  return uri.scheme === scheme && uri.query !== '' ? documentOf(uri.query) : undefined;
}

export function provideSides(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: async (uri) => {
      const document = heldBy(uri);
      return document ? (await vscode.workspace.openTextDocument(document)).getText() : '';
    },
  });
}
