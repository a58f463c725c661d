// What `@` finds: files by the editor's own search, without what it is told to leave out, and what context.ts knows.
import * as vscode from 'vscode';
import { contexts, foldersOf, symbols } from './context';
import type { Mention } from './messages';
import { inFolders, pattern, ranked } from './search';
import { sidecarPath } from './whereabouts';

const mostShown = 50;
const mostFound = 2000;

export async function mentions(query: string, token?: vscode.CancellationToken): Promise<Mention[]> {
  if (query.length > 200) return [];
  const find = async (glob: string) => (await vscode.workspace.findFiles(glob, left(), mostFound, token)).filter((u) => u.scheme === 'file').map((u) => sidecarPath(u));
  const [found, within, named] = await Promise.all([find(pattern(query)), query ? find(inFolders(query)) : [], symbols(query)]);
  const files = ranked(found, query).slice(0, mostShown).map((path) => ({ kind: 'file' as const, path }));
  const beside = [...foldersOf(within, query), ...named];
  return [...contexts(query), ...files.slice(0, Math.max(mostShown / 2, mostShown - beside.length)), ...beside].slice(0, mostShown);
}

/** `files.exclude` and `search.exclude` together; findFiles takes the first by itself only when it is given nothing. */
function left(): string | undefined {
  const on = (key: string) => Object.entries(vscode.workspace.getConfiguration().get<Record<string, unknown>>(key) ?? {}).filter(([, v]) => v === true).map(([k]) => k);
  const globs = [...new Set([...on('files.exclude'), ...on('search.exclude')])];
  return globs.length === 0 ? undefined : `{${globs.join(',')}}`;
}
