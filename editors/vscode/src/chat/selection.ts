// A selection as part of a prompt: its place, and the text as it is seen here, also what
// is not saved yet. The sidecar decides how much of it the model is shown.
import type { TextEditor } from 'vscode';
import type { ContentBlock } from '../protocol';

/** More than the sidecar ever shows of one, so that it can say that something is left out. */
const mostText = 64 * 1024;

export function sidecarSelection(editor: TextEditor | undefined): ContentBlock[] | undefined {
  if (!editor || editor.document.uri.scheme !== 'file') return undefined;
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
  const text = document.getText(range).slice(0, mostText);
  return [{
    type: 'resource_link', uri: document.uri.toString(),
    range: { start: { line: range.start.line, character: range.start.character }, end: { line: range.end.line, character: range.end.character } },
    ...(text && { text }),
  }];
}
