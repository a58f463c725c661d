// The mode of a session, and what a person is told of each. The sidecar refuses full access without a confirmation; the
// dialog that a person confirms in is the editor's.
import { commands, l10n, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import { changeToAgent, modeOf, modes, ownAgents, type ModeChange, type ModeName } from '../modes';
import type { AgentInfo } from '../protocol';
import type { Sidecar } from '../sidecar/api';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';

interface Words { icon: string; label: string; detail: string }

const words = (): Record<ModeName, Words> => ({
  ask: { icon: 'shield', label: l10n.t('Ask'), detail: l10n.t('Asks before each edit and command.') },
  edit: { icon: 'edit', label: l10n.t('Edit'), detail: l10n.t('Edits files in a trusted folder. Asks before commands outside the sandbox.') },
  plan: { icon: 'checklist', label: l10n.t('Plan'), detail: l10n.t('Reads and plans. Changes nothing.') },
  full_access: { icon: 'unlock', label: l10n.t('Full access'), detail: l10n.t('Asks nothing, until you switch back or the editor closes.') },
});

/** What a session is said to be in: a mode, or the name of an own agent. */
export function modeLabel(session: { mode?: string; agent?: string }): string {
  const mode = modeOf(session);
  return mode ? words()[mode].label : plain(session.agent ?? '', 60);
}

/** What is chosen in the list. */
export type Chosen = { mode: ModeName } | { agent: string };

/** The list: the four modes, and below a line the person's own agents. */
export function modeItems(agents: readonly AgentInfo[], now: { mode?: string; agent?: string }): (QuickPickItem & { chosen?: Chosen })[] {
  const mark = (is: boolean) => (is ? l10n.t('now') : '');
  const said = words(), mode = modeOf(now), own = ownAgents(agents);
  return [
    ...modes.map((m) => ({ label: `$(${said[m].icon}) ${said[m].label}`, description: mark(m === mode), detail: said[m].detail, chosen: { mode: m } })),
    ...(own.length > 0 ? [{ label: l10n.t('Your agents'), kind: QuickPickItemKind.Separator }] : []),
    ...own.map((a) => ({ label: `$(person) ${plain(a.name, 60)}`, description: mark(!mode && a.name === now.agent), detail: plain(a.description) || undefined, chosen: { agent: a.name } })),
  ];
}

/** Says whether the session has the mode now. */
export async function setMode(sidecar: Pick<Sidecar, 'request'>, sessionId: string, change: ModeChange): Promise<boolean> {
  const update = async (confirm: { confirm?: true }) => {
    const { applied } = await sidecar.request('agent/session/update', { sessionId, ...change, ...confirm });
    tellOf(applied);
    return true;
  };
  try {
    return await update({});
  } catch (error) {
    const data = (error as { data?: { kind?: string; field?: string } }).data;
    if (data?.kind !== 'confirmation_required') throw error;
    if (data.field === 'trust') return askForTrust();
  }
  const yes = l10n.t('Give Full Access');
  // The first button takes an Enter that was pressed once too often, so it is no yes.
  const no = l10n.t('Keep Asking');
  const answer = await window.showWarningMessage(
    l10n.t('Give the agent full access in this session?'),
    { modal: true, detail: l10n.t('It then edits files, runs commands and uses the network without asking, unless your permission rules refuse it. It lasts until you switch back or the editor closes.') }, no, yes);
  return answer === yes && update({ confirm: true });
}

/** Gives a session an agent of the person's own. */
export function useAgent(sidecar: Pick<SidecarProcess, 'request' | 'sessions'>, sessionId: string, agent: string): Promise<boolean> {
  return setMode(sidecar, sessionId, changeToAgent(agent, sidecar.sessions.get(sessionId)?.mode));
}

/** Says so when something acts only from the next run on. */
export function tellOf(applied: Record<string, unknown>): void {
  if (Object.values(applied).includes('queued-change')) window.setStatusBarMessage(l10n.t('Agent: applies from the next run'), 5000);
}

async function askForTrust(): Promise<false> {
  const manage = l10n.t('Manage Workspace Trust');
  const answer = await window.showWarningMessage(l10n.t('Full access needs a trusted workspace.'), manage);
  if (answer === manage) await commands.executeCommand('workbench.trust.manage');
  return false;
}
