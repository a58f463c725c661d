// A selection as part of a prompt: the place of it. The sidecar reads what stands there,
// also what is not saved yet.
import type { TextEditor } from 'vscode';
import type { ContentBlock } from '../protocol';

export function sidecarSelection(editor: TextEditor | undefined): ContentBlock[] | undefined {
  if (!editor || editor.document.uri.scheme !== 'file') return undefined;
  const { selection } = editor;
  const range = selection.isEmpty
    ? editor.document.lineAt(selection.active.line).range
    : selection;
  return [{
    type: 'resource_link', uri: editor.document.uri.toString(),
    range: { start: { line: range.start.line, character: range.start.character }, end: { line: range.end.line, character: range.end.character } },
  }];
}
