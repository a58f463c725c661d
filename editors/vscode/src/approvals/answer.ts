// Gives the sidecar a person's answer. What may be answered, the question says.
import * as vscode from 'vscode';
import type { Approval, Decision as Word } from '../protocol';
import type { Sidecar } from '../sidecar/api';
import { plain } from '../text/plain';
import { labelOf } from './labels';

export interface Decision { decision: Word; always?: string; feedback?: string; interrupt?: boolean }

/** Sends it for exactly what was shown. Tells the person where it came too late or not at all. */
export async function answer(sidecar: Pick<Sidecar, 'request'>, approval: Approval, given: Decision): Promise<void> {
  const result = await sidecar.request('agent/approve', { approvalId: approval.approvalId, digest: approval.digest, ...given });
  switch (result.status) {
    case 'applied':
      return;
    case 'stale':
      void vscode.window.showWarningMessage(vscode.l10n.t('What you were asked about has changed. Nothing ran, and you are asked again.'));
      return;
    default:
      void vscode.window.showInformationMessage(vscode.l10n.t('This approval is no longer pending.'));
  }
}

interface Choice extends vscode.QuickPickItem { given?: Decision; review?: true; edited?: true }

/** The answers that a question takes, the no first; each rule that a yes would store in words. */
export function choices(approval: Approval, edited = false): Choice[] {
  const offered = new Set<string>(approval.decisions);
  const list: Choice[] = [{ label: vscode.l10n.t('Review'), description: vscode.l10n.t('show all of it'), review: true }];
  if (offered.has('reject')) {
    const own = labelOf(approval, 'reject');
    list.push({ label: own ?? vscode.l10n.t('Reject'), given: { decision: 'reject' } });
    // A no with a word of its own ("Not now") is no answer to the agent, which could read a reason.
    if (!own) list.push({ label: vscode.l10n.t('Reject and say why…'), given: { decision: 'reject', feedback: '' } });
  }
  if (edited) list.push({ label: vscode.l10n.t('Accept with my changes'), edited: true });
  if (offered.has('once')) list.push({ label: labelOf(approval, 'once') ?? vscode.l10n.t('Allow once'), ...(edited && { description: vscode.l10n.t('as the agent wrote it') }), given: { decision: 'once' } });
  if (offered.has('session')) list.push({ label: labelOf(approval, 'session') ?? vscode.l10n.t('Allow for this session'), given: { decision: 'session' } });
  if (offered.has('always')) {
    for (const rule of approval.always) list.push({ label: labelOf(approval, 'always') ?? vscode.l10n.t('Always allow'), detail: plain(rule.label === '' ? rule.pattern : rule.label, 1000), given: { decision: 'always', always: rule.id } });
    if (approval.always.length === 0) list.push({ label: labelOf(approval, 'always') ?? vscode.l10n.t('Always allow'), given: { decision: 'always' } });
  }
  return list;
}

/** Asks a person while the review stands behind the question. Leaving it leaves the question open. */
export async function ask(sidecar: Pick<Sidecar, 'request'>, approval: Approval, show: (a: Approval) => Promise<void>, accept: () => (() => Promise<void>) | undefined): Promise<void> {
  await show(approval);
  for (;;) {
    const chosen = await vscode.window.showQuickPick(choices(approval, accept() !== undefined), { title: plain(approval.title), placeHolder: plain(approval.reason), ignoreFocusOut: true });
    if (!chosen) return;
    if (chosen.review) {
      await show(approval);
      continue;
    }
    if (chosen.edited) return accept()?.();
    const given = { ...chosen.given! };
    if (given.feedback !== undefined) {
      const words = await vscode.window.showInputBox({ title: plain(approval.title), prompt: vscode.l10n.t('What should the agent do instead?'), ignoreFocusOut: true });
      if (words === undefined) continue;
      given.feedback = words;
    }
    return answer(sidecar, approval, given);
  }
}
