// Files for `@`: what the editor's own search finds, without what it is told to leave out.
import * as vscode from 'vscode';
import { pattern, ranked } from './search';
import { sidecarPath } from './whereabouts';

const mostShown = 50;
const mostFound = 2000;

export async function mentions(query: string, token?: vscode.CancellationToken): Promise<string[]> {
  if (query.length > 200) return [];
  const found = await vscode.workspace.findFiles(pattern(query), left(), mostFound, token);
  return ranked(found.filter((u) => u.scheme === 'file').map((u) => sidecarPath(u)), query).slice(0, mostShown);
}

/** `files.exclude` and `search.exclude` together; findFiles takes the first by itself only when it is given nothing. */
function left(): string | undefined {
  const on = (key: string) => Object.entries(vscode.workspace.getConfiguration().get<Record<string, unknown>>(key) ?? {}).filter(([, v]) => v === true).map(([k]) => k);
  const globs = [...new Set([...on('files.exclude'), ...on('search.exclude')])];
  return globs.length === 0 ? undefined : `{${globs.join(',')}}`;
}
