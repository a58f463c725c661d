// What the agent has changed: a list of files by run, each with a diff against what it
// was, and Keep or Undo for one file or all of a run.
import * as vscode from 'vscode';
import { attempt } from '../attempt';
import { current } from '../current';
import { plain } from '../plain';
import type { Sidecar } from '../sidecar/api';
import { openDiff, openDiffs, provideNothing } from './diff';
import { keep, keptPaths, toLookAt, type RunChanges } from './model';
import { read } from './read';
import { Tree, type Node } from './tree';
import { undo, type UndoAnswer } from './undo';

export interface Changes {
  /** Opens a file of a run, or of the last run that has changed it, beside what it was. */
  open(sessionId: string, path: string, runId?: string): Promise<void>;
  undo(sessionId: string, to: { callId?: string; runId?: string }, paths?: readonly string[]): Promise<UndoAnswer | undefined>;
  /** Without paths all of the run. */
  keep(sessionId: string, runId: string, paths?: readonly string[]): Promise<string[]>;
  readonly onKept: vscode.Event<{ sessionId: string; runId: string; paths: string[] }>;
}

const key = 'agentSidecar.kept';

export function register(context: vscode.ExtensionContext, sidecar: Sidecar): Changes {
  const tree = new Tree();
  const view = vscode.window.createTreeView('agentSidecar.changes', { treeDataProvider: tree, showCollapseAll: false });
  const kept = new vscode.EventEmitter<{ sessionId: string; runId: string; paths: string[] }>();
  const keptNow = () => keptPaths(context.workspaceState.get(key));

  let asked = 0;
  const load = async () => {
    const mine = ++asked;
    const sessionId = current.id;
    let runs: RunChanges[] = [];
    if (sessionId !== null && sidecar.state === 'running') {
      try {
        runs = await read(sidecar, sessionId);
      } catch {
        // Another process has it, or it is gone: there is no list then.
      }
    }
    if (mine !== asked) return;
    tree.set(sessionId === null ? [] : toLookAt(runs, keptNow()[sessionId]));
    view.badge = tree.count === 0 ? undefined : { value: tree.count, tooltip: vscode.l10n.t('Files that the agent has changed: {0}', tree.count) };
    void vscode.commands.executeCommand('setContext', 'agentSidecar.changed', tree.count);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void load();
    }, 200);
  };

  const changes: Changes = {
    onKept: kept.event,
    async open(sessionId, path, runId) {
      const runs = await read(sidecar, sessionId);
      const found = runs.filter((r) => runId === undefined || r.runId === runId).flatMap((r) => r.files).findLast((f) => f.path === path);
      if (!found) throw new Error(vscode.l10n.t('The agent has not changed this file: {0}', plain(path)));
      await openDiff(found);
    },
    async undo(sessionId, to, paths) {
      const done = await undo(sidecar, sessionId, to, paths);
      soon();
      return done;
    },
    async keep(sessionId, runId, paths) {
      const files = paths ? [...paths] : (await read(sidecar, sessionId)).filter((r) => r.runId === runId).flatMap((r) => r.files.map((f) => f.path));
      const now = keep(keptNow(), sessionId, runId, files);
      await context.workspaceState.update(key, now);
      const all = now[sessionId]?.[runId] ?? [];
      kept.fire({ sessionId, runId, paths: all });
      soon();
      return all;
    },
  };

  /** A command of the list: on what was clicked, or chosen with the keys. */
  const command = (id: string, work: (sessionId: string, node: Node) => Promise<unknown>) => vscode.commands.registerCommand(id, (given?: Node) => {
    const node = given ?? view.selection[0];
    const sessionId = current.id;
    return node && sessionId !== null ? attempt(() => work(sessionId, node)) : undefined;
  });

  context.subscriptions.push(
    view, kept, provideNothing(),
    { dispose: () => clearTimeout(timer) },
    current.onChange(soon), sidecar.onState(soon), kept.event(soon),
    sidecar.onEvent((e) => { if ((e.type === 'file.changed' || e.type === 'run.ended') && e.sessionId === current.id) soon(); }),
    command('agentSidecar.changes.open', (_, node) => (node.file ? openDiff(node.file) : openDiffs(plain(node.run.title, 80), node.run.files))),
    command('agentSidecar.changes.keep', (id, { run, file }) => changes.keep(id, run.runId, file ? [file.path] : undefined)),
    command('agentSidecar.changes.undo', (id, { run, file }) => changes.undo(id, { runId: run.runId }, file && [file.path])),
    vscode.commands.registerCommand('agentSidecar.changes.show', () => vscode.commands.executeCommand('agentSidecar.changes.focus')),
  );
  soon();
  return changes;
}
