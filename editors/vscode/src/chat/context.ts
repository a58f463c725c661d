// What can be named with `@` beside files: folders, symbols, the problems of the editor, the changes that are not committed, and what a
// terminal last printed. Each becomes a place with its text: the sidecar takes out secrets and gives it to the model as what was found, not as the
// person's words.
import * as vscode from 'vscode';
import type { ContentBlock } from '../protocol';
import { attachable, type Attached, type Mention } from './messages';
import { ranked } from './search';
import { sidecarPath } from './whereabouts';

/** More than goes with a prompt, so that the sidecar can say that something is left out. */
const mostText = 64 * 1024;
const mostProblems = 200;
const mostSymbols = 10;
const mostFolders = 10;

/** Those of its kind whose name begins with what was typed. */
export function contexts(query: string): Mention[] {
  return attachable.filter((kind) => kind.startsWith(query.toLowerCase()) && (kind !== 'terminal' || printed)).map((kind) => ({ kind }));
}

/** The folders that files are in, the nearest first. */
export function foldersOf(files: string[], query: string): Mention[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let slash = file.lastIndexOf('/'); slash > 0; slash = file.lastIndexOf('/', slash - 1)) folders.add(file.slice(0, slash));
  }
  const near = [...folders].filter((f) => f.toLowerCase().includes(query.toLowerCase()));
  return query ? ranked(near, query).slice(0, mostFolders).map((path) => ({ kind: 'folder', path: `${path}/` })) : [];
}

/** What language servers know by this name. One that is slow is not waited for. */
export async function symbols(query: string): Promise<Mention[]> {
  if (query.length < 2 || query.includes('/')) return [];
  const late = new Promise<undefined>((done) => setTimeout(() => done(undefined), 700));
  const asked = vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>('vscode.executeWorkspaceSymbolProvider', query);
  const found = (await Promise.race([Promise.resolve(asked).catch(() => undefined), late])) ?? [];
  return found.filter((s) => s.location.uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(s.location.uri)).slice(0, mostSymbols).map((s) => {
    const { start, end } = s.location.range;
    return {
      kind: 'symbol', name: s.name, path: `${sidecarPath(s.location.uri)}:${start.line + 1}`, uri: s.location.uri.toString(),
      range: { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } },
    };
  });
}

export async function attached(what: Attached): Promise<ContentBlock[]> {
  const text = { problems, changes, terminal: async () => printed }[what];
  const said = (await text())?.slice(0, mostText);
  if (!said?.trim()) throw new Error({ problems: vscode.l10n.t('There are no problems.'), changes: vscode.l10n.t('There are no uncommitted changes.'), terminal: vscode.l10n.t('No terminal has printed anything.') }[what]);
  return [{ type: 'resource_link', uri: `editor:/${{ problems: 'problems.txt', changes: 'changes.diff', terminal: 'terminal.txt' }[what]}`, text: said }];
}

const gravity = ['error', 'warning', 'information', 'hint'];

async function problems(): Promise<string> {
  const all = vscode.languages.getDiagnostics().filter(([uri]) => uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri))
    .flatMap(([uri, list]) => list.filter((d) => d.severity <= vscode.DiagnosticSeverity.Warning && d.source !== 'agent-sidecar').map((d) => ({ uri, d })));
  all.sort((a, b) => a.d.severity - b.d.severity);
  const more = all.length > mostProblems ? [`(${all.length - mostProblems} more)`] : [];
  return [...all.slice(0, mostProblems).map(({ uri, d }) => `${sidecarPath(uri)}:${d.range.start.line + 1}: ${gravity[d.severity]}: ${d.message}${d.source ? ` (${d.source})` : ''}`), ...more].join('\n');
}

/** As far as it is used, the extension that the editor brings for git. */
interface Git { getAPI(version: 1): { repositories: { diff(cached?: boolean): Promise<string>; state: { untrackedChanges?: { uri: vscode.Uri }[]; workingTreeChanges: { uri: vscode.Uri; status: number }[] } }[] } }
const untracked = 7;

async function changes(): Promise<string> {
  const git = await vscode.extensions.getExtension<Git>('vscode.git')?.activate();
  const parts: string[] = [];
  for (const repository of repositories(git)) {
    parts.push(await repository.diff(true), await repository.diff());
    const { untrackedChanges = [], workingTreeChanges } = repository.state;
    for (const { uri } of [...untrackedChanges, ...workingTreeChanges.filter((c) => c.status === untracked)]) parts.push(`new file, not tracked: ${sidecarPath(uri)}`);
  }
  return parts.filter((p) => p.trim()).join('\n');
}

function repositories(git: Git | undefined): ReturnType<Git['getAPI']>['repositories'] {
  try {
    return git?.getAPI(1).repositories ?? [];
  } catch {
    throw new Error(vscode.l10n.t('Git is not enabled in this editor.'));
  }
}

/** What the last command in a terminal has printed, where the shell tells the editor. It is kept in memory until the next one. */
let printed = '';

export function listenToTerminals(): vscode.Disposable {
  return vscode.window.onDidStartTerminalShellExecution(async ({ execution }) => {
    let text = '';
    for await (const piece of execution.read()) text = (text + piece).slice(-mostText / 2);
    printed = `$ ${execution.commandLine.value}\n${unstyled(text)}`;
  });
}

/** Without what moves a cursor or gives a colour. */
export function unstyled(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]|\r(?=\n)/g, '');
}
