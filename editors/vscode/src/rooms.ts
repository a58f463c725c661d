// Puts the rooms together in which a person works with the agent: the chat, its sessions,
// the questions, the changes. `extension.ts` calls this once.
import * as vscode from 'vscode';
import * as approvals from './approvals';
import { artifactContent } from './artifacts';
import * as changes from './changes';
import { perform, type Rooms } from './chat/actions';
import { sidecarSelection } from './chat/selection';
import { ChatView, viewId } from './chat/view';
import type { Approval } from './protocol';
import * as sessions from './sessions';
import { provideSides } from './sides';
import type { SidecarProcess } from './sidecar/sidecar';

export interface Opened { chat: ChatView; approvals: approvals.Approvals; changes: changes.Changes }

export function register(context: vscode.ExtensionContext, sidecar: SidecarProcess): Opened {
  let rooms: Rooms;
  const chat = new ChatView(context, sidecar, (action) => perform(sidecar, rooms, action));
  const questions = approvals.register(context, sidecar);
  const changed = changes.register(context, sidecar);
  rooms = {
    sessions: sessions.register(context, sidecar, chat), approvals: questions, changes: changed,
    commands: contributed(context),
  };
  sidecar.hooks.review = async (args) => {
    const approval = questions.open.get(approvals.askedFor(args) ?? '') ?? onlyOne(questions.open.list(), args);
    if (approval) await questions.review(approval);
    return approval !== undefined;
  };
  sidecar.hooks.artifact = (uri, token) => artifactContent(sidecar, uri, token);
  context.subscriptions.push(
    chat, provideSides(),
    vscode.window.registerWebviewViewProvider(viewId, chat, { webviewOptions: { retainContextWhenHidden: true } }),
    chat.onVisible((visible) => {
      questions.seen(visible);
      chat.badge(questions.open.list().length); // a view that has just been made has none
    }),
    questions.open.onChange(() => chat.badge(questions.open.list().length)),
    chat.onShown((sessionId) => {
      for (const [runId, paths] of Object.entries(changed.keptOf(sessionId))) chat.post({ type: 'kept', sessionId, runId, paths });
    }),
    changed.onKept((k) => chat.post({ type: 'kept', ...k })),
    vscode.commands.registerCommand('agentSidecar.focusChat', () => chat.focus('prompt')),
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
  return { chat, approvals: questions, changes: changed };
}

/** Without an id the only open question is meant. */
function onlyOne(list: readonly Approval[], args: readonly unknown[]): Approval | undefined {
  return args.length === 0 && list.length === 1 ? list[0] : undefined;
}

/** Shown by the page when something is missing, and by nothing else. */
const ofThePage = ['agentSidecar.manageTrust', 'agentSidecar.openPathSetting'];

/** The commands that the page may name: its own, and those that the extension shows to people. */
function contributed(context: vscode.ExtensionContext): ReadonlySet<string> {
  const list = (context.extension.packageJSON as { contributes?: { commands?: { command: string }[] } }).contributes?.commands ?? [];
  return new Set([...ofThePage, ...list.map((c) => c.command).filter((c) => c.startsWith('agentSidecar.'))]);
}
