// An edit at the cursor: a selection and some words are one run of a session of its own.
// What it is at is shown in place, and what came of it too, to be kept or undone there.
// Its calls are judged like any others.
import * as vscode from 'vscode';
import type { Approvals } from '../approvals';
import type { Changes } from '../changes';
import type { ContentBlock } from '../protocol';
import { current } from '../sessions/current';
import { attempt } from '../sidecar/attempt';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';
import { fixes } from './fix';

/** More than the sidecar ever shows of a selection, so that it can say that something is left out. */
const mostText = 64 * 1024;

/** For the model, beside its usual words. */
const rules = 'This is an edit at one place of a file: change what is asked, at the lines that are linked and where it is needed for that, with as few calls as possible. Answer in one short sentence.';

interface Going { sessionId?: string; stopped: boolean; uri: string; range: vscode.Range }

export function register(context: vscode.ExtensionContext, sidecar: SidecarProcess, approvals: Approvals, changes: Changes): void {
  const going = new Set<Going>();
  const mark = vscode.window.createTextEditorDecorationType({ isWholeLine: true, backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground') });
  const draw = () => {
    for (const editor of vscode.window.visibleTextEditors) {
      const here = [...going].filter((g) => g.uri === editor.document.uri.toString());
      editor.setDecorations(mark, here.map((g) => ({ range: g.range, renderOptions: { after: { contentText: vscode.l10n.t('the agent is editing… Escape stops it'), color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 2em' } } })));
    }
    void vscode.commands.executeCommand('setContext', 'agentSidecar.editing', going.size > 0);
  };
  const stop = async (g: Going) => {
    g.stopped = true;
    if (g.sessionId !== undefined) await sidecar.request('agent/cancel', { sessionId: g.sessionId });
  };

  const edit = async (document: vscode.TextDocument, range: vscode.Range, words: string, beside: ContentBlock[] = []) => {
    const lines = new vscode.Range(range.start.line, 0, range.end.line, document.lineAt(range.end.line).text.length);
    const g: Going = { stopped: false, uri: document.uri.toString(), range: lines };
    going.add(g);
    draw();
    try {
      const mine = current.id === null ? undefined : sidecar.sessions.get(current.id);
      const mode = mine?.mode === 'ask' || mine?.mode === 'agent' ? mine.mode : undefined;
      const { session } = await sidecar.request('agent/session/new', { title: vscode.l10n.t('Edit: {0}', plain(words, 60)), agent: 'build', ...(mode && { mode }), ...(mine?.model && { model: mine.model }) });
      g.sessionId = session.id;
      changes.follow(session.id);
      if (g.stopped) return;
      const text = document.getText(range).slice(0, mostText);
      const place: ContentBlock = { type: 'resource_link', uri: g.uri, range: { start: range.start, end: range.end }, ...(text && { text }) };
      const done = await sidecar.request('agent/run', { sessionId: session.id, prompt: [{ type: 'text', text: words }, place, ...beside], system: rules, await: true });
      say(done.stopReason, done.message ?? done.text ?? '', done.changes?.length ?? 0);
    } finally {
      going.delete(g);
      draw();
    }
  };

  /** The words of the end are told where nothing in the file does. */
  function say(reason: string | undefined, text: string, files: number): void {
    if (reason === 'cancelled') return void vscode.window.setStatusBarMessage(vscode.l10n.t('Agent: stopped – {0}', plain(text, 80)), 5000);
    if (reason !== undefined && reason !== 'end_turn') return void vscode.window.showWarningMessage(vscode.l10n.t('The edit did not come to its end: {0}', plain(text || reason, 300)));
    if (files === 0) void vscode.window.showInformationMessage(plain(text, 500) || vscode.l10n.t('The agent has changed nothing.'));
    else void vscode.window.setStatusBarMessage(plain(text, 120), 8000);
  }

  context.subscriptions.push(
    mark,
    vscode.window.onDidChangeVisibleTextEditors(draw),
    // Where lines come or go above it, the mark goes with its own.
    vscode.workspace.onDidChangeTextDocument((e) => {
      for (const g of going) {
        if (g.uri !== e.document.uri.toString()) continue;
        for (const c of e.contentChanges) {
          const by = c.text.split('\n').length - 1 - (c.range.end.line - c.range.start.line);
          if (by !== 0 && c.range.end.line < g.range.start.line) g.range = new vscode.Range(g.range.start.line + by, 0, g.range.end.line + by, g.range.end.character);
        }
      }
    }),
    // What it asks stands where the person is: the review of the edit, with its answers.
    approvals.open.onChange((added) => {
      const mine = added.find((a) => [...going].some((g) => g.sessionId === a.sessionId));
      if (mine) void attempt(() => approvals.review(mine));
    }),
    vscode.commands.registerCommand('agentSidecar.inlineEdit', () => attempt(async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor || editor.document.uri.scheme !== 'file') return void vscode.window.showInformationMessage(vscode.l10n.t('Open a file first, and select what should change.'));
      const { document, selection } = editor;
      const range = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
      const words = await vscode.window.showInputBox({ prompt: vscode.l10n.t('What should change here?'), placeHolder: vscode.l10n.t('lines {0} to {1}', range.start.line + 1, range.end.line + 1), ignoreFocusOut: true });
      if (words !== undefined && words.trim() !== '') await edit(document, range, words.trim());
    })),
    vscode.commands.registerCommand('agentSidecar.inlineEdit.stop', () => attempt(async () => { for (const g of going) await stop(g); })),
    fixes(sidecar, (document, range, { words, report }) => attempt(() => edit(document, range, words, [report]))),
  );
}
