// The list of sessions: the sidecar searches, newest first; each row has its buttons.
import * as vscode from 'vscode';
import type { Session } from '../protocol';
import type { Sidecar } from '../sidecar/api';
import { attempt } from '../sidecar/attempt';
import { plain } from '../text/plain';
import type { Sessions, Shows } from '.';

interface Row extends vscode.QuickPickItem { session?: Session; more?: string }

const states: Record<string, () => string> = {
  running: () => vscode.l10n.t('running'),
  waiting_approval: () => vscode.l10n.t('waiting for you'),
  interrupted: () => vscode.l10n.t('interrupted'),
  closed: () => vscode.l10n.t('closed'),
};

const copies: Record<string, () => string> = {
  syncing: () => vscode.l10n.t('not copied yet'),
  conflict: () => vscode.l10n.t('gone on elsewhere'),
};

export async function pickSession(sidecar: Sidecar, sessions: Sessions, chat: Shows): Promise<void> {
  const button = (icon: string, tooltip: string) => ({ iconPath: new vscode.ThemeIcon(icon), tooltip });
  const buttons = {
    rename: button('edit', vscode.l10n.t('Rename')),
    fork: button('repo-forked', vscode.l10n.t('Fork')),
    export: button('save-as', vscode.l10n.t('Export')),
    remove: button('trash', vscode.l10n.t('Delete')),
  };
  const quick = vscode.window.createQuickPick<Row>();
  quick.title = vscode.l10n.t('Agent Sessions');
  quick.placeholder = vscode.l10n.t('Words in the title, or in the first or last prompt');
  quick.matchOnDescription = quick.matchOnDetail = false;

  let asked = 0;
  const row = (session: Session): Row => ({
    label: plain(session.title === '' ? session.id : session.title, 100),
    description: [session.id, session.agent, states[session.state]?.() ?? (session.state === 'idle' ? '' : plain(session.state)), session.lockedBy ? vscode.l10n.t('open in another window') : '', copies[session.syncState]?.() ?? '', session.parent?.atSeq !== undefined ? vscode.l10n.t('a fork') : ''].filter((s) => s !== '').map((s) => plain(s)).join(' · '),
    detail: new Date(session.updatedAt).toLocaleString(vscode.env.language),
    alwaysShow: true, // the sidecar has searched
    buttons: [buttons.rename, buttons.fork, buttons.export, buttons.remove],
    session,
  });
  const load = async (cursor?: string) => {
    const mine = ++asked;
    quick.busy = true;
    try {
      const page = await sidecar.request('agent/session/list', { limit: 100, ...(quick.value.trim() !== '' && { query: quick.value.trim() }), ...(cursor !== undefined && { cursor }) });
      if (mine !== asked) return;
      const before = cursor === undefined ? [] : quick.items.filter((r) => r.session);
      quick.items = [...before, ...page.sessions.map(row),
        ...(page.nextCursor === null ? [] : [{ label: vscode.l10n.t('More…'), alwaysShow: true, more: page.nextCursor }])];
    } finally {
      if (mine === asked) quick.busy = false;
    }
  };

  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((done) => quick.onDidHide(() => done()));
  quick.onDidChangeValue(() => {
    clearTimeout(timer);
    timer = setTimeout(() => void attempt(() => load()), 150);
  });
  quick.onDidAccept(() => {
    const [chosen] = quick.selectedItems;
    if (chosen?.more !== undefined) void attempt(() => load(chosen.more));
    else if (chosen?.session) {
      const { id } = chosen.session;
      quick.hide();
      void attempt(() => chat.show(id));
    }
  });
  quick.onDidTriggerItemButton(({ item, button: pressed }) => {
    const { session } = item;
    if (!session) return;
    quick.hide(); // what it asks stands in its place
    void attempt(async () => {
      if (pressed === buttons.rename) await sessions.rename(session.id, session.title);
      else if (pressed === buttons.fork) return chat.show((await sessions.fork(session.id)).id);
      else if (pressed === buttons.export) return void (await sessions.export(session.id));
      else await sessions.remove(session.id);
      return pickSession(sidecar, sessions, chat);
    });
  });
  quick.show();
  await attempt(() => load());
  await over;
  clearTimeout(timer);
  quick.dispose();
}
