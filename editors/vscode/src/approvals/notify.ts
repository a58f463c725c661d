// One notification for the open questions, while the chat cannot be seen. The editor lets
// an extension take back a notification only where it shows progress, so it is one of
// those: its words are links to Review, Reject and the chat, and it goes as soon as no
// question is open, whoever answered. It offers no yes: it cannot show all of a question.
// Such a notification is shown in one line, so what can be done stands first in it.
import * as vscode from 'vscode';
import type { Approval } from '../protocol';
import { plain } from '../text/plain';
import { labelOf } from './labels';

/** What the notification says of the oldest question; `link` makes a link of a command for it. */
export function words(open: readonly Approval[], link: (label: string, command: string, ...args: unknown[]) => string): string {
  const first = open[0]!;
  const parts = [link(vscode.l10n.t('Review'), 'agentSidecar.approvals.review', first.approvalId)];
  if ((first.decisions as string[]).includes('reject')) parts.push(link(labelOf(first, 'reject') ?? vscode.l10n.t('Reject'), 'agentSidecar.approvals.reject', first.approvalId));
  parts.push(first.sessionId === '' ? link(vscode.l10n.t('Open Chat'), 'agentSidecar.focusChat') : link(vscode.l10n.t('Open Chat'), 'agentSidecar.showSession', { sessionId: first.sessionId }));
  const more = open.length === 1 ? '' : ' ' + vscode.l10n.t('(and {0} more)', open.length - 1);
  return `${vscode.l10n.t('The agent asks:')} ${parts.join(' · ')} — ${plain(first.title, 120)}${more}`;
}

export const commandLink = (label: string, command: string, ...args: unknown[]) => `[${label}](command:${command}${args.length === 0 ? '' : `?${encodeURIComponent(JSON.stringify(args))}`})`;

export class Notification {
  private shown: { end: () => void; text: string } | undefined;

  /** Shows these, or takes the notification back where there are none. */
  show(open: readonly Approval[]): void {
    if (open.length === 0) return this.withdraw();
    const text = words(open, commandLink);
    if (this.shown?.text === text) return;
    // Another question is another notification: the first may have been closed by hand.
    this.withdraw();
    let end!: () => void;
    const over = new Promise<void>((done) => { end = done; });
    this.shown = { text, end };
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: text }, () => over);
  }

  withdraw(): void {
    this.shown?.end();
    this.shown = undefined;
  }
}
