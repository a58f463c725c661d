// What the agent has changed: a list of files by run, each with a diff against what it
// was, and Keep or Undo for one file or all of a run.
import * as vscode from 'vscode';
import { current } from '../sessions/current';
import type { Sidecar } from '../sidecar/api';
import { attempt } from '../sidecar/attempt';
import { plain } from '../text/plain';
import { openDiff, openDiffs } from './diff';
import { basesOf } from './hunks';
import { keep, keptPaths, toLookAt, type RunChanges } from './model';
import { Pieces } from './pieces';
import { filesOf, lastRunOf, runsOf } from './read';
import { Tree, type Node } from './tree';
import { restore } from './restore';
import { nothing, undo, type UndoAnswer } from './undo';

export interface Changes {
  /** Opens a file beside what it was before the run, or without one before the session. */
  open(sessionId: string, path: string, runId?: string): Promise<void>;
  undo(sessionId: string, to: { callId?: string; runId?: string }, paths?: readonly string[]): Promise<UndoAnswer | undefined>;
  /** Back to before a prompt: the session that goes on there, or undefined where nothing was done. */
  restore(sessionId: string, seq: number): Promise<string | undefined>;
  /** Shows what a session changes in the files, also while another one is looked at. */
  follow(sessionId: string): void;
  /** Of the newest run of a session. */
  undoLastRun(sessionId: string): Promise<UndoAnswer | undefined>;
  /** Without paths all of the run. */
  keep(sessionId: string, runId: string, paths?: readonly string[]): Promise<string[]>;
  /** What was kept of a session before, by run. */
  keptOf(sessionId: string): Record<string, string[]>;
  readonly onKept: vscode.Event<{ sessionId: string; runId: string; paths: string[] }>;
}

const key = 'agentSidecar.kept';

/** Sessions that are followed beside the one that is looked at: each costs a request when something has changed. */
const mostFollowed = 3;

export function register(context: vscode.ExtensionContext, sidecar: Sidecar): Changes {
  const tree = new Tree();
  const view = vscode.window.createTreeView('agentSidecar.changes', { treeDataProvider: tree, showCollapseAll: false });
  const kept = new vscode.EventEmitter<{ sessionId: string; runId: string; paths: string[] }>();
  const keptNow = () => keptPaths(context.workspaceState.get(key));

  const pieces: Pieces = new Pieces(context, {
    keep: async (base) => { for (const runId of base.runs) await changes.keep(base.sessionId, runId, [base.path]); },
    undo: (base) => changes.undo(base.sessionId, { runId: base.runs[0]! }, [base.path]),
    open: (base) => changes.open(base.sessionId, base.path, base.runs[0]),
  });

  const followed: string[] = [];
  const looked = () => view.visible || vscode.window.visibleTextEditors.some((e) => e.document.uri.scheme === 'file');
  let asked = 0;
  let read = false; // since something last changed
  const load = async () => {
    read = looked(); // else it is read when it is looked at
    if (!read) return;
    const mine = ++asked;
    const shown = current.id;
    const sessions = [...new Set([...(shown === null ? [] : [shown]), ...followed])];
    const open = new Map<string, RunChanges[]>();
    for (const id of sidecar.state === 'running' ? sessions : []) {
      try {
        open.set(id, toLookAt(await runsOf(sidecar, id), keptNow()[id]));
      } catch {
        // Another process has it, or it is gone: there is no list then.
      }
    }
    if (mine !== asked) return;
    tree.set(open.get(shown ?? '') ?? []);
    pieces.only(sessions);
    for (const id of sessions) pieces.set(id, basesOf(id, open.get(id) ?? []));
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let loading = false, again = false; // one at a time: a command may change thousands of files
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (loading) {
        again = true;
        return;
      }
      loading = true;
      void load().finally(() => {
        loading = false;
        if (again) soon();
        again = false;
      });
    }, 200);
  };

  const changes: Changes = {
    onKept: kept.event,
    keptOf: (sessionId) => keptNow()[sessionId] ?? {},
    async open(sessionId, path, runId) {
      const found = (await filesOf(sidecar, sessionId, runId)).find((f) => f.path === path);
      if (!found) throw new Error(vscode.l10n.t('The agent has not changed this file: {0}', plain(path)));
      await openDiff(found);
    },
    async undo(sessionId, to, paths) {
      const done = await undo(sidecar, sessionId, to, paths);
      if (done) soon();
      return done;
    },
    async restore(sessionId, seq) {
      const fork = await restore(sidecar, sessionId, seq);
      if (fork !== undefined) soon();
      return fork;
    },
    follow(sessionId) {
      followed.unshift(sessionId);
      followed.length = Math.min(followed.length, mostFollowed);
      soon();
    },
    async undoLastRun(sessionId) {
      const runId = await lastRunOf(sidecar, sessionId);
      if (runId !== undefined) return changes.undo(sessionId, { runId });
      nothing();
      return undefined;
    },
    async keep(sessionId, runId, paths) {
      const files = paths ? [...paths] : (await filesOf(sidecar, sessionId, runId)).map((f) => f.path);
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
    view, kept, view.onDidChangeVisibility(soon),
    vscode.window.onDidChangeVisibleTextEditors(() => { if (!read) soon(); }),
    { dispose: () => clearTimeout(timer) },
    current.onChange(soon), sidecar.onState(soon), kept.event(soon),
    sidecar.onEvent((e) => { if ((e.type === 'file.changed' || e.type === 'run.ended') && (e.sessionId === current.id || followed.includes(e.sessionId))) soon(); }),
    command('agentSidecar.changes.open', (_, node) => (node.file ? openDiff(node.file) : openDiffs(plain(node.run.title, 80), node.run.files))),
    command('agentSidecar.changes.keep', (id, { run, file }) => changes.keep(id, run.runId, file ? [file.path] : undefined)),
    command('agentSidecar.changes.undo', (id, { run, file }) => changes.undo(id, { runId: run.runId }, file && [file.path])),
    vscode.commands.registerCommand('agentSidecar.changes.show', () => vscode.commands.executeCommand('agentSidecar.changes.focus')),
  );
  soon();
  return changes;
}
