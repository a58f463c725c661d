// What can be named with `@` beside files: folders, symbols, the problems of the editor, the changes that are not committed, and what a
// terminal last printed. Each becomes places with their texts: the sidecar takes out secrets, and what the agent may not read, and gives
// them to the model as what was found, not as the person's words.
import * as vscode from 'vscode';
import type { ContentBlock } from '../protocol';
import { attachable, type Attached, type Mention } from './messages';
import { filesOf, isOfOne, isPlain } from './diffs';
import { ranked } from './search';
import { sidecarPath } from './whereabouts';

/** More than goes with a prompt, so that the sidecar can say that something is left out. */
const mostText = 64 * 1024;
const mostProblems = 200;
const mostSymbols = 10;
const mostFolders = 10;
const mostDiffs = 40;

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
  const blocks = await { problems, changes, terminal }[what]();
  if (blocks.length === 0) throw new Error({ problems: vscode.l10n.t('There are no problems.'), changes: vscode.l10n.t('There are no uncommitted changes.'), terminal: vscode.l10n.t('No terminal has printed anything.') }[what]);
  return blocks;
}

/** A text that is no file, if there is one. */
function document(name: string, text: string, more: Partial<ContentBlock> = {}): ContentBlock[] {
  return text.trim() ? [{ type: 'resource_link', uri: `editor:/${name}`, text: text.slice(0, mostText), ...more }] : [];
}

const gravity = ['error', 'warning', 'information', 'hint'];

async function problems(): Promise<ContentBlock[]> {
  const all = vscode.languages.getDiagnostics().filter(([uri]) => uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri))
    .flatMap(([uri, list]) => list.filter((d) => d.severity <= vscode.DiagnosticSeverity.Warning && d.source !== 'agent-sidecar').map((d) => ({ uri, d })));
  all.sort((a, b) => a.d.severity - b.d.severity);
  const more = all.length > mostProblems ? [`(${all.length - mostProblems} more)`] : [];
  return document('problems.txt', [...all.slice(0, mostProblems).map(({ uri, d }) => `${sidecarPath(uri)}:${d.range.start.line + 1}: ${gravity[d.severity]}: ${d.message}${d.source ? ` (${d.source})` : ''}`), ...more].join('\n'));
}

/** As far as it is used, the extension that the editor brings for git. */
interface Change { uri: vscode.Uri; status: number }
interface Repository { status(): Promise<void>; diffWithHEAD(path: string): Promise<string>; state: { indexChanges: Change[]; workingTreeChanges: Change[]; mergeChanges: Change[]; untrackedChanges?: Change[] } }
interface Git { getAPI(version: 1): { repositories: Repository[] } }

/** What has changed, each file by itself: the sidecar leaves out what the agent may not read. A file without a diff is only named. */
async function changes(): Promise<ContentBlock[]> {
  const git = await vscode.extensions.getExtension<Git>('vscode.git')?.activate();
  const diffs: ContentBlock[] = [], named: string[] = [];
  let left = mostText;
  for (const repository of repositories(git)) {
    await repository.status();
    const { indexChanges, workingTreeChanges, mergeChanges, untrackedChanges = [] } = repository.state;
    for (const [uri, how] of filesOf([...indexChanges, ...workingTreeChanges, ...mergeChanges, ...untrackedChanges])) {
      const ask = how === 'changed' && isPlain(uri.path) && diffs.length < mostDiffs;
      const text = ask ? await repository.diffWithHEAD(uri.fsPath).catch(() => '') : ''; // there is no commit yet
      if (isOfOne(text) && text.length <= left) {
        left -= text.length;
        diffs.push({ type: 'resource_link', uri: uri.toString(), mimeType: 'text/x-diff', text });
      } else named.push(`${how}: ${sidecarPath(uri)}`);
    }
  }
  return [...diffs, ...document('changes.txt', named.join('\n'))];
}

function repositories(git: Git | undefined): Repository[] {
  try {
    return git?.getAPI(1).repositories ?? [];
  } catch {
    throw new Error(vscode.l10n.t('Git is not enabled in this editor.'));
  }
}

/** What the last command in a terminal has printed, where the shell tells the editor. It is kept in memory until the next one. */
let printed = '';

/** Whoever wrote what a program has printed, it was not the person. */
const terminal = async () => document('terminal.txt', printed, { untrusted: true });

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
