// The status bar item: what the sidecar does, in which session, and in which mode. Full
// access is never silent: it has a word, an icon and the colour of a warning.
import { type Disposable, l10n, MarkdownString, StatusBarAlignment, ThemeColor, window } from 'vscode';
import { current } from '../sessions/current';
import { modeLabel } from '../sessions/mode';
import { placeText } from '../sessions/place';
import type { Following } from '../sidecar/activity';
import type { SidecarState } from '../sidecar/api';
import { problemText } from '../sidecar/problems';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';

/** What is shown, before it is put into the editor's own words. */
export interface Shown { icon: string; text: string; colour?: 'error' | 'warning'; fullAccess: boolean }

export function shownOf(state: SidecarState, session: Following | undefined, approvals: number): Shown {
  const fullAccess = session?.mode === 'full_access';
  const colour = fullAccess ? ('warning' as const) : undefined;
  switch (state) {
    case 'missing':
      return { icon: 'error', text: l10n.t('not found'), colour: 'error', fullAccess: false };
    case 'failed':
      return { icon: 'error', text: l10n.t('stopped'), colour: 'error', fullAccess: false };
    case 'starting':
    case 'restarting':
      return { icon: 'loading~spin', text: state === 'starting' ? l10n.t('starting') : l10n.t('starting again'), fullAccess: false };
    case 'stopped':
      return { icon: 'circle-slash', text: l10n.t('stopped'), fullAccess: false };
  }
  if (approvals > 0) return { icon: 'question', text: approvals === 1 ? l10n.t('1 question') : l10n.t('{0} questions', approvals), colour: 'warning', fullAccess };
  if (!session?.runId) return session?.state === 'error' ? { icon: 'error', text: l10n.t('error'), colour: 'error', fullAccess } : { icon: 'sparkle', text: '', colour, fullAccess };
  return { icon: 'loading~spin', text: phase(session), colour, fullAccess };
}

function phase(session: Following): string {
  switch (session.state) {
    case 'thinking':
      return l10n.t('thinking');
    case 'tool_calling':
      return l10n.t('running: {0}', plain(session.detail, 40));
    case 'waiting_approval':
      return l10n.t('waiting for you');
    case 'retrying':
      return l10n.t('trying again');
    case 'compacting':
      return l10n.t('summarising');
    default:
      return plain(session.state, 40); // a word of another version
  }
}

export function statusBar(sidecar: SidecarProcess): Disposable {
  const item = window.createStatusBarItem('agentSidecar.status', StatusBarAlignment.Right, 100);
  item.name = 'agent-sidecar';
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    timer = undefined;
    const running = sidecar.sessions.running();
    const id = current.id ?? running[0];
    const session = id ? sidecar.sessions.get(id) : undefined;
    const shown = shownOf(sidecar.state, session, sidecar.sessions.approvals);
    const words = ['Agent', ...(session?.runner ? [l10n.t('on {0}', plain(session.runner, 40))] : []), ...(shown.fullAccess ? [l10n.t('full access')] : []), ...(shown.text ? [shown.text] : [])];
    item.text = `$(${shown.fullAccess && shown.icon === 'sparkle' ? 'unlock' : shown.icon}) ${words.join(' · ')}`;
    item.backgroundColor = shown.colour && new ThemeColor(`statusBarItem.${shown.colour}Background`);
    item.command = sidecar.state === 'failed' ? 'agentSidecar.restart' : sidecar.state === 'missing' ? 'agentSidecar.openPathSetting' : 'agentSidecar.focusChat';
    item.tooltip = tooltip(sidecar, session);
    item.accessibilityInformation = { label: words.join(', '), role: 'button' };
    item.show();
  };
  // Events come in hundreds a second; the eye does not.
  const soon = () => (timer ??= setTimeout(draw, 100));
  draw();
  const heard = [sidecar.onState(soon), sidecar.onEvent(soon), sidecar.onCapabilities.event(soon), current.onChange(soon), item];
  return { dispose() {
    clearTimeout(timer);
    for (const h of heard) h.dispose();
  } };
}

function tooltip(sidecar: SidecarProcess, session: Following | undefined): MarkdownString {
  const text = new MarkdownString(); // not trusted: no command can stand in it
  const line = (name: string, value: string) => text.appendText(`${name}: ${plain(value)}\n\n`);
  const problem = problemText(sidecar);
  if (problem) text.appendText(`${problem}\n\n`);
  if (session?.title) line(l10n.t('Session'), session.title);
  if (session?.mode) line(l10n.t('Mode'), modeLabel(session));
  if (session?.runner || sidecar.runners.length > 0) line(l10n.t('Works on'), placeText(session?.runner ?? '', sidecar.runners));
  const model = session?.model || sidecar.model;
  if (model) line(l10n.t('Model'), model);
  const sandbox = sidecar.capabilities?.sandbox;
  if (sandbox) line(l10n.t('Sandbox'), sandbox.level);
  if (!text.value) text.appendText('agent-sidecar');
  return text;
}
