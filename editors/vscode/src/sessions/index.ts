// Sessions in the hands of a person: find one, go on with it, fork, rename, export, delete.
// The sidecar has them; this asks where it has to be asked and says what came of it.
import * as vscode from 'vscode';
import { artifactBytes } from '../documents/artifacts';
import type { Session } from '../protocol';
import type { Sidecar } from '../sidecar/api';
import { attempt } from '../sidecar/attempt';
import { plain } from '../text/plain';
import { current } from './current';
import { pickSession } from './list';

/** What the sessions need of the chat: to be shown in it. null: a new one. */
export interface Shows { show(sessionId: string | null): Promise<void> }

export interface Sessions {
  rename(sessionId: string, title?: string): Promise<boolean>;
  fork(sessionId: string, atSeq?: number): Promise<Session>;
  remove(sessionId: string): Promise<boolean>;
  export(sessionId: string): Promise<vscode.Uri | undefined>;
}

export function register(context: vscode.ExtensionContext, sidecar: Sidecar, chat: Shows): Sessions {
  const sessions: Sessions = {
    async rename(sessionId, title) {
      const name = await vscode.window.showInputBox({ title: vscode.l10n.t('Rename the Session'), value: title ?? (await titleOf(sidecar, sessionId)), ignoreFocusOut: true });
      if (name === undefined) return false;
      await sidecar.request('agent/session/update', { sessionId, title: name.trim() === '' ? null : name });
      return true;
    },
    async fork(sessionId, atSeq) {
      return (await sidecar.request('agent/session/fork', { sessionId, ...(atSeq !== undefined && { atSeq }) })).session;
    },
    async remove(sessionId) {
      const yes = vscode.l10n.t('Delete');
      const no = vscode.l10n.t('Keep It'); // first, for an Enter too many
      const title = plain(await titleOf(sidecar, sessionId), 100);
      const answer = await vscode.window.showWarningMessage(vscode.l10n.t('Delete the session “{0}”?', title),
        { modal: true, detail: vscode.l10n.t('Its log and its outputs are removed, and its current run is stopped. Files that it has changed stay as they are.') }, no, yes);
      if (answer !== yes) return false;
      await sidecar.request('agent/session/delete', { sessionId });
      if (current.id === sessionId) await chat.show(null);
      return true;
    },
    async export(sessionId) {
      const redact = await vscode.window.showQuickPick([
        { label: vscode.l10n.t('Without secrets and names'), detail: vscode.l10n.t('Keys, tokens, passwords, e-mail addresses, folder names and your user name are replaced.'), redact: true },
        { label: vscode.l10n.t('Everything as it is'), detail: vscode.l10n.t('For yourself: anyone who gets the file can read everything that the session has seen.'), redact: false },
      ], { title: vscode.l10n.t('Export the Session'), ignoreFocusOut: true });
      if (!redact) return undefined;
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
      const name = `session-${sessionId}.jsonl`;
      const to = await vscode.window.showSaveDialog({ title: vscode.l10n.t('Export the Session'), ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }), filters: { 'JSON Lines': ['jsonl'] } });
      if (!to) return undefined;
      const { artifactId } = await sidecar.request('agent/session/export', { sessionId, redact: redact.redact });
      await vscode.workspace.fs.writeFile(to, await artifactBytes(sidecar, artifactId));
      const open = vscode.l10n.t('Open');
      void vscode.window.showInformationMessage(vscode.l10n.t('The session was written to {0}.', plain(to.fsPath)), open).then((a) => (a === open ? vscode.window.showTextDocument(to) : undefined));
      return to;
    },
  };

  /** Runs a command on the current session, and says what failed. */
  const command = (id: string, work: (sessionId: string) => Promise<unknown>) => vscode.commands.registerCommand(id, async (arg?: unknown) => {
    const given = typeof arg === 'string' ? arg : (arg as { sessionId?: unknown } | null | undefined)?.sessionId;
    const sessionId = typeof given === 'string' ? given : current.id;
    if (sessionId === null) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no session in the chat.'));
      return undefined;
    }
    return attempt(() => work(sessionId));
  });

  context.subscriptions.push(
    sidecar.onEvent((event) => {
      if (event.type === 'session.sync' && event.data.fork !== undefined) void attempt(() => partedFrom(sidecar, chat, event.sessionId, event.data.fork as string));
    }),
    vscode.commands.registerCommand('agentSidecar.sessions', () => attempt(() => pickSession(sidecar, sessions, chat))),
    vscode.commands.registerCommand('agentSidecar.newSession', () => attempt(() => chat.show(null))),
    command('agentSidecar.session.rename', (id) => sessions.rename(id)),
    command('agentSidecar.session.delete', (id) => sessions.remove(id)),
    command('agentSidecar.session.export', (id) => sessions.export(id)),
    command('agentSidecar.session.fork', async (id) => chat.show((await sessions.fork(id)).id)),
  );
  return sessions;
}

/** Another machine has gone on in a session, too: it has the lines of that one now, and those of here are a fork. */
async function partedFrom(sidecar: Sidecar, chat: Shows, sessionId: string, fork: string): Promise<void> {
  const open = vscode.l10n.t('Open the Fork');
  const title = plain(await titleOf(sidecar, sessionId), 100) || sessionId;
  const answer = await vscode.window.showWarningMessage(vscode.l10n.t('The session “{0}” has also gone on on another machine. What was done here is now a fork of it.', title), open);
  if (answer === open) await chat.show(fork);
}

async function titleOf(sidecar: Sidecar, sessionId: string): Promise<string> {
  for (let cursor: string | undefined; ; ) {
    const page = await sidecar.request('agent/session/list', { limit: 1000, ...(cursor !== undefined && { cursor }) });
    const found = page.sessions.find((s) => s.id === sessionId);
    if (found) return found.title;
    if (page.nextCursor === null) return sessionId;
    cursor = page.nextCursor;
  }
}
