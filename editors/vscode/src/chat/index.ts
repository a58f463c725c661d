// The chat, and what stands around it: its view, the commands that bring something into
// it, and how it hears of questions and of changes that are kept.
import * as vscode from 'vscode';
import type { Approvals } from '../approvals';
import type { Changes } from '../changes';
import * as sessions from '../sessions';
import type { SidecarProcess } from '../sidecar/sidecar';
import { perform, type Rooms } from './actions';
import { listenToTerminals } from './context';
import { sidecarSelection } from './selection';
import { tabType, viewId } from './stage';
import { ChatView } from './view';

export function register(context: vscode.ExtensionContext, sidecar: SidecarProcess, approvals: Approvals, changes: Changes): void {
  let rooms: Rooms;
  const chat = new ChatView(context, sidecar, (action) => perform(sidecar, rooms, action), (method, params) => (
    method === 'agent/approve' && saysYes(params) && approvals.edited().includes(params.approvalId) ? vscode.l10n.t('You have changed this edit in its review. Accept it with your changes, or take them back there.') : undefined));
  rooms = { sessions: sessions.register(context, sidecar, chat), approvals, changes, commands: contributed(context) };
  context.subscriptions.push(
    chat,
    vscode.window.registerWebviewViewProvider(viewId, chat, { webviewOptions: { retainContextWhenHidden: true } }),
    vscode.window.registerWebviewPanelSerializer(tabType, chat),
    listenToTerminals(),
    chat.onVisible((visible) => {
      approvals.seen(visible);
      chat.badge(approvals.open.list().length); // a view that has just been made has none
    }),
    approvals.open.onChange(() => chat.badge(approvals.open.list().length)),
    approvals.onEdited((approvalIds) => chat.post({ type: 'edited', approvalIds })),
    chat.onShown((sessionId) => {
      chat.post({ type: 'edited', approvalIds: approvals.edited() });
      for (const [runId, paths] of Object.entries(changes.keptOf(sessionId))) chat.post({ type: 'kept', sessionId, runId, paths });
    }),
    changes.onKept((k) => chat.post({ type: 'kept', ...k })),
    vscode.commands.registerCommand('agentSidecar.focusChat', () => chat.focus('prompt')),
    vscode.commands.registerCommand('agentSidecar.openChatInEditor', () => chat.toTab()),
    vscode.commands.registerCommand('agentSidecar.chatToSideBar', () => chat.toSideBar()),
    vscode.commands.registerCommand('agentSidecar.moveChat', async () => {
      await chat.toSideBar(); // the editor moves its view, and remembers where
      await vscode.commands.executeCommand('workbench.action.moveFocusedView', viewId);
    }),
    vscode.commands.registerCommand('agentSidecar.listSessions', () => chat.focus('sessions')),
    vscode.commands.registerCommand('agentSidecar.showSession', (target?: { sessionId?: unknown }) => (typeof target?.sessionId === 'string' ? chat.show(target.sessionId) : chat.focus())),
    vscode.commands.registerCommand('agentSidecar.explainSelection', () => {
      const blocks = sidecarSelection(vscode.window.activeTextEditor);
      return blocks ? chat.compose(vscode.l10n.t('Explain this.'), blocks, true) : chat.focus();
    }),
    vscode.commands.registerCommand('agentSidecar.manageTrust', () => vscode.commands.executeCommand('workbench.trust.manage')),
    vscode.commands.registerCommand('agentSidecar.sendSelection', () => {
      const blocks = sidecarSelection(vscode.window.activeTextEditor);
      return blocks ? chat.compose('', blocks) : chat.focus();
    }),
  );
}

/** A yes of whatever kind: anything that is not a no. */
const saysYes = (params: unknown): params is { approvalId: string } => (params as { decision?: unknown } | null)?.decision !== 'reject';

/** Shown by the page when something is missing, and by nothing else. */
const ofThePage = ['agentSidecar.manageTrust', 'agentSidecar.openPathSetting'];

/** The commands that the page may name: its own, and those that the extension shows to people. */
function contributed(context: vscode.ExtensionContext): ReadonlySet<string> {
  const list = (context.extension.packageJSON as { contributes?: { commands?: { command: string }[] } }).contributes?.commands ?? [];
  return new Set([...ofThePage, ...list.map((c) => c.command).filter((c) => c.startsWith('agentSidecar.'))]);
}
