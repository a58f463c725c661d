// What the language servers of the editor know, for the sidecar (agent/client/semantic): asked through VS Code's own commands and
// answered in the shapes of LSP. Nothing is changed here, also by a rename: the sidecar has that judged, and makes it.
import {
  type CancellationToken, commands, type DocumentSymbol, type Hover, type Location, type LocationLink, type MarkdownString, type Position, Range, type SymbolInformation, Uri,
  type WorkspaceEdit, workspace,
} from 'vscode';
import type { SemanticParams } from '../protocol';

/** What is declared to the sidecar. */
export const semanticKinds = { definition: true, references: true, symbols: true, hover: true, rename: true };

/** How the connection writes a URI. */
export type Spell = (uri: Uri) => string;

type Asked = (uri: Uri, position: Position, params: SemanticParams, spell: Spell) => Promise<unknown>;

const most = 2000; // elements of a list; the sidecar takes no more

const kinds: Record<string, Asked> = {
  definition: async (uri, at, _, spell) => places(await commands.executeCommand('vscode.executeDefinitionProvider', uri, at), spell),
  references: async (uri, at, _, spell) => places(await commands.executeCommand('vscode.executeReferenceProvider', uri, at), spell),
  hover: async (uri, at) => hover(await commands.executeCommand('vscode.executeHoverProvider', uri, at)),
  rename: async (uri, at, params, spell) => edit(await commands.executeCommand('vscode.executeDocumentRenameProvider', uri, at, params.newName ?? ''), spell),
  symbols: async (uri, _at, _, spell) => symbols(await commands.executeCommand('vscode.executeDocumentSymbolProvider', uri), spell),
};

/** Answers one question. A document that is not open is opened, and not shown. */
export async function semantic(params: SemanticParams, token: CancellationToken, spell: Spell): Promise<unknown> {
  if (params.kind === 'symbols' && params.uri === undefined) {
    return symbols(await commands.executeCommand('vscode.executeWorkspaceSymbolProvider', params.query ?? ''), spell);
  }
  const ask = kinds[params.kind];
  if (!ask || !params.uri) throw new Error(`nothing is known of ${params.kind}`);
  const document = await workspace.openTextDocument(Uri.parse(params.uri, true));
  if (params.version !== undefined && params.version !== document.version) throw new Error('the document was changed meanwhile');
  if (token.isCancellationRequested) return null;
  const { line, character } = params.position ?? { line: 0, character: 0 };
  const at = document.validatePosition(new Range(line, character, line, character).start);
  return ask(document.uri, at, params, spell);
}

/** A range as LSP writes it; by itself it writes itself as a list. */
function span({ start, end }: Range): unknown {
  return { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } };
}

function places(found: readonly (Location | LocationLink)[] | undefined, spell: Spell): unknown {
  return found?.slice(0, most).map((one) =>
    'targetUri' in one ? { uri: spell(one.targetUri), range: span(one.targetSelectionRange ?? one.targetRange) } : { uri: spell(one.uri), range: span(one.range) }) ?? null;
}

function symbols(found: readonly (DocumentSymbol | SymbolInformation)[] | undefined, spell: Spell): unknown {
  return found?.slice(0, most).map((one) => symbol(one, spell)) ?? null;
}

function symbol(one: DocumentSymbol | SymbolInformation, spell: Spell): unknown {
  const named = { name: one.name, kind: one.kind + 1 }; // LSP counts from 1
  if ('selectionRange' in one) return { ...named, range: span(one.range), selectionRange: span(one.selectionRange), children: one.children.map((inner) => symbol(inner, spell)) };
  return { ...named, containerName: one.containerName, location: { uri: spell(one.location.uri), range: span(one.location.range) } };
}

function hover(found: readonly Hover[] | undefined): unknown {
  const texts = (found ?? []).flatMap((one) => one.contents).map((text) => (typeof text === 'string' ? text : (text as MarkdownString).value));
  return { contents: texts };
}

/** An edit with its files. What would happen to files themselves VS Code counts and does not tell; the sidecar refuses all of it. */
function edit(found: WorkspaceEdit | undefined, spell: Spell): unknown {
  if (!found) return null;
  const entries = found.entries();
  const documentChanges: unknown[] = entries.map(([uri, edits]) => ({
    textDocument: { uri: spell(uri), version: workspace.textDocuments.find((d) => d.uri.toString() === uri.toString())?.version ?? null },
    edits: edits.map(({ range, newText }) => ({ range: span(range), newText })),
  }));
  if (found.size > entries.length) documentChanges.push({ kind: 'rename' });
  return { documentChanges };
}
