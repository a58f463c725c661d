// Questions of the agent where the chat is not looked at: a badge, a notification, a list,
// and the review in the diff editor.
import * as vscode from 'vscode';
import type { Approval } from '../protocol';
import { current } from '../sessions/current';
import type { Sidecar } from '../sidecar/api';
import { attempt } from '../sidecar/attempt';
import { plain } from '../text/plain';
import { answer, ask } from './answer';
import { Notification } from './notify';
import { askedFor, Open } from './open';
import { proposalScheme, questionOf } from './documents';
import { Proposals } from './proposal';
import { review as open_ } from './review';
import { closeReviews } from './tabs';

export interface Approvals {
  readonly open: Open;
  review(approval: Approval): Promise<void>;
  /** Opens the review of a question by its id; the only open one without. */
  reviewById(approvalId?: string): Promise<void>;
  /** Opens what a command of the sidecar's names, or the only open question where it names none; says whether there is one. */
  reviewAsked(args: readonly unknown[]): Promise<boolean>;
  /** What the chat shows needs no notification. */
  seen(chatIsVisible: boolean): void;
  /** The questions whose proposal the person has changed in its review: a yes from elsewhere would be one to the agent's own text. */
  edited(): string[];
  readonly onEdited: vscode.Event<string[]>;
  /** Yes to one of them as the person has it now. digest is of what they were shown beside it. */
  acceptEdited(approvalId: string, digest: string): Promise<void>;
}

export function register(context: vscode.ExtensionContext, sidecar: Sidecar): Approvals {
  const open = new Open();
  const notification = new Notification();
  const proposals = new Proposals(sidecar);
  const review = async (a: Approval, text?: string) => open_(a, await proposals.side(a, text));
  let visible = false;
  const edits = new vscode.EventEmitter<string[]>();
  const edited = () => open.list().filter((a) => proposals.changedBy(a)).map((a) => a.approvalId);
  let told = '';
  const tellEdited = () => {
    const now = edited();
    if (now.join() !== told) edits.fire(now);
    told = now.join();
  };

  // The chat shows the questions of its session, and those that belong to none.
  const seen = (a: Approval) => visible && (a.sessionId === '' || a.sessionId === current.id);
  const sweep = (pinned: 'keep' | 'close') => void closeReviews(open.list(), pinned, (uris) => proposals.settle(uris)).catch(() => {}); // a tab that has just been closed
  const show = () => notification.show(open.list().filter((a) => !seen(a)));
  const load = () => open.load(() => sidecar.request('agent/approvals', {})).then(() => sweep('close'), () => {}); // the next start loads again

  const pick = async (approvalId?: string): Promise<Approval | undefined> => {
    if (approvalId !== undefined) {
      const found = open.get(approvalId);
      if (!found) void vscode.window.showInformationMessage(vscode.l10n.t('This approval is no longer pending.'));
      return found;
    }
    const list = open.list();
    if (list.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('No approvals are pending.'));
      return undefined;
    }
    const shown = questionOf(vscode.window.activeTextEditor?.document.uri, list);
    if (shown) return shown;
    if (list.length === 1) return list[0];
    const chosen = await vscode.window.showQuickPick(
      list.map((approval) => ({ label: plain(approval.title), description: approval.risk, detail: plain([...approval.agentPath, approval.reason].join(' · '), 500), approval })),
      { title: vscode.l10n.t('Pending Approvals'), matchOnDetail: true });
    return chosen?.approval;
  };

  const room: Approvals = {
    open,
    review: (a) => review(a),
    reviewById: async (approvalId) => {
      const approval = await pick(approvalId);
      if (approval) await review(approval);
    },
    reviewAsked: async (args) => {
      const list = open.list();
      const approval = open.get(askedFor(args) ?? '') ?? (args.length === 0 && list.length === 1 ? list[0] : undefined);
      if (approval) await review(approval);
      return approval !== undefined;
    },
    seen: (now) => { visible = now; show(); },
    edited,
    onEdited: edits.event,
    acceptEdited: async (approvalId, digest) => {
      const approval = open.get(approvalId);
      const uri = approval && proposals.changedBy(approval);
      if (!approval || !uri || approval.digest !== digest) throw new Error(vscode.l10n.t('What you were asked about has changed. Nothing ran, and you are asked again.'));
      await proposals.accept(approval, uri, review);
    },
  };

  const idOf = (arg: unknown) => (typeof arg === 'string' ? arg : undefined);
  const diffIsActive = () => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const question = questionOf(uri, open.list());
    void vscode.commands.executeCommand('setContext', 'agentSidecar.reviewing', question !== undefined);
    void vscode.commands.executeCommand('setContext', 'agentSidecar.proposal', question !== undefined && uri?.scheme === proposalScheme);
  };

  context.subscriptions.push(
    edits, proposals.register(), proposals.onEdits(tellEdited), sidecar.onEvent((e) => open.event(e)),
    sidecar.onState((state) => { if (state === 'running') void load(); else open.clear(); }),
    open.onChange(() => {
      show();
      sweep('keep');
      diffIsActive();
      tellEdited();
      void vscode.commands.executeCommand('setContext', 'agentSidecar.asked', open.list().length);
    }),
    current.onChange(show),
    vscode.window.onDidChangeActiveTextEditor(diffIsActive),
    { dispose: () => notification.withdraw() },
    vscode.commands.registerCommand('agentSidecar.approvals', (arg?: unknown) => attempt(async () => {
      const approval = await pick(idOf(arg));
      if (approval) await ask(sidecar, approval, (a) => review(a), () => {
        const uri = proposals.changedBy(approval);
        return uri && (() => proposals.accept(approval, uri, review));
      });
    })),
    vscode.commands.registerCommand('agentSidecar.approvals.review', (arg?: unknown) => attempt(() => room.reviewById(idOf(arg)))),
    vscode.commands.registerCommand('agentSidecar.approvals.acceptEdited', () => attempt(async () => {
      const uri = vscode.window.activeTextEditor?.document.uri;
      const approval = questionOf(uri, open.list());
      if (!approval || uri?.scheme !== proposalScheme) return void vscode.window.showInformationMessage(vscode.l10n.t('No approvals are pending.'));
      await proposals.accept(approval, uri, review);
    })),
    vscode.commands.registerCommand('agentSidecar.approvals.reject', (arg?: unknown) => attempt(async () => {
      const approval = await pick(idOf(arg));
      if (approval) await answer(sidecar, approval, { decision: 'reject' });
    })),
  );
  if (sidecar.state === 'running') void load();
  return room;
}
