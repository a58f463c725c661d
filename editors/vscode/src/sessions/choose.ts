// Which mode or agent, which model, how much it thinks, which machine. The sidecar says what there is and what it takes;
// these only ask the person and pass the answer on.
import { commands, l10n, type QuickPickItem, window } from 'vscode';
import { changeTo } from '../modes';
import type { Session, SessionUpdateParams } from '../protocol';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';
import { current } from './current';
import { effortItems, takesNone } from './effort';
import { modeItems, setMode, tellOf, useAgent } from './mode';
import { wayTo } from './place';

/** The session that a picker works on; a new one, if there is none. */
async function sessionOf(sidecar: SidecarProcess, sessionId: string | undefined): Promise<string> {
  const id = sessionId ?? current.id;
  if (id) return id;
  const { session } = await sidecar.request('agent/session/new', {});
  sidecar.sessions.learn(session);
  await commands.executeCommand('agentSidecar.showSession', { sessionId: session.id });
  return session.id;
}

/** Changes a session and says so when it acts only from the next run on. */
async function update(sidecar: SidecarProcess, params: SessionUpdateParams): Promise<Session> {
  const { session, applied } = await sidecar.request('agent/session/update', params);
  sidecar.sessions.learn(session);
  tellOf(applied);
  return session;
}

/**
 * Puts a model to work. The first one is the default and that of the session that is shown;
 * where there is a default and a session, the person says which is meant.
 */
export async function useModel(sidecar: SidecarProcess, model: string, sessionId?: string): Promise<void> {
  const id = sessionId ?? current.id ?? undefined;
  let everywhere = true;
  if (id && sidecar.model !== '' && sidecar.model !== model) {
    const here = l10n.t('In this session'), always = l10n.t('In this session and as the default for new ones');
    const where = await window.showQuickPick([here, always], { title: l10n.t('Where should {0} be used?', plain(model, 60)) });
    if (!where) return;
    everywhere = where === always;
  }
  if (everywhere) await sidecar.request('agent/config', { op: 'set', key: 'model', value: model });
  if (id) await update(sidecar, { sessionId: id, model });
  else window.setStatusBarMessage(l10n.t('New sessions use {0}.', plain(model, 100)), 5000);
}

/** Says how much the model of a session may think, or leaves it to what applies without that. */
export async function setEffort(sidecar: SidecarProcess, sessionId?: string): Promise<void> {
  const id = sessionId ?? current.id ?? undefined;
  const session = id ? sidecar.sessions.get(id) : undefined;
  const model = session?.model || sidecar.model, now = session?.effort ?? '';
  const said = await sidecar.request('agent/describe', {});
  const items = effortItems(said, model, now, {
    byDefault: l10n.t('Default'), defaultDetail: l10n.t('As the agent or your configuration says, or else as the model does by itself.'), now: l10n.t('now'), none: l10n.t('answers without thinking first'),
  });
  const placeHolder = takesNone(said, model) ? l10n.t('No levels are known for {0}, so none is sent.', plain(model, 60)) : l10n.t('How much should the model think before it answers?');
  const answer = await window.showQuickPick(items, { title: l10n.t('Agent: Set Reasoning Effort'), placeHolder });
  if (!answer || answer.level === now) return;
  await update(sidecar, { sessionId: await sessionOf(sidecar, sessionId), params: { reasoningEffort: answer.level || null } });
}

/** One list for all that says what the agent may do: the modes, and the agents of the person's own. */
export async function switchMode(sidecar: SidecarProcess, sessionId?: string): Promise<void> {
  const id = sessionId ?? current.id;
  const now = id ? sidecar.sessions.get(id) : undefined;
  const { agents } = await sidecar.request('agent/describe', {});
  const answer = await window.showQuickPick(modeItems(agents, now ?? { mode: sidecar.mode }), { title: l10n.t('Agent: Switch Mode'), placeHolder: l10n.t('What may the agent do without asking?'), matchOnDetail: true });
  if (!answer?.chosen) return;
  // The session after the question: a new one takes the focus with it, which would close the list.
  const session = await sessionOf(sidecar, sessionId);
  await ('mode' in answer.chosen ? setMode(sidecar, session, changeTo(answer.chosen.mode)) : useAgent(sidecar, session, answer.chosen.agent));
}

/** Puts a session on the machine of a runner, or back on this one. */
export async function switchRunner(sidecar: SidecarProcess, sessionId?: string): Promise<void> {
  const id = sessionId ?? current.id ?? undefined;
  const now = (id && sidecar.sessions.get(id)?.runner) || '';
  const { runners } = await sidecar.request('agent/status', {});
  if (!runners?.length && now === '') {
    void window.showInformationMessage(l10n.t('No runner is configured. A runner is another machine that sessions can work on: "runners" in the configuration file.'));
    return;
  }
  const mark = (runner: string, description: string) => [...(runner === now ? [l10n.t('now')] : []), ...(description ? [description] : [])].join(' · ');
  const items: (QuickPickItem & { runner: string })[] = [
    { label: `$(device-desktop) ${l10n.t('This machine')}`, description: mark('', ''), runner: '' },
    ...(runners ?? []).map((r) => ({ label: `$(remote) ${plain(r.name, 60)}`, description: mark(r.name, wayTo(r)), runner: r.name })),
  ];
  const answer = await window.showQuickPick(items, { title: l10n.t('Agent: Work On…'), placeHolder: l10n.t('Where should the agent read files and run commands?') });
  if (!answer || answer.runner === now) return;
  await update(sidecar, { sessionId: await sessionOf(sidecar, sessionId), runner: answer.runner });
}
