// Tells that a run has ended where nobody sees the chat.
import * as vscode from 'vscode';
import { plain } from '../plain';
import type { AgentEvent } from '../protocol';
import type { Sidecar } from '../sidecar/api';

export function watchRuns(sidecar: Sidecar, seen: () => boolean, open: (sessionId: string) => Promise<void>): vscode.Disposable {
  const kinds = new Map<string, string>();
  return sidecar.onEvent((e: AgentEvent) => {
    if (e.agentPath?.length || e.runId === undefined) return;
    if (e.type === 'run.started') kinds.set(e.runId, e.data.kind ?? 'prompt');
    if (e.type !== 'run.ended') return;
    const kind = kinds.get(e.runId) ?? 'prompt';
    kinds.delete(e.runId);
    // Who has cancelled it knows; a summary is nobody's question.
    if (kind === 'compaction' || e.data.stopReason === 'cancelled') return;
    if (seen() || !vscode.workspace.getConfiguration('agentSidecar').get('notifyWhenDone', true)) return;
    const chat = vscode.l10n.t('Open Chat');
    const say = e.data.stopReason === 'error' ? vscode.window.showErrorMessage : vscode.window.showInformationMessage;
    void say(words(e), chat).then((answer) => (answer === chat ? open(e.sessionId) : undefined));
  });
}

function words(e: AgentEvent & { type: 'run.ended' }): string {
  const { stopReason, error, message, changes } = e.data;
  if (stopReason === 'error') return vscode.l10n.t('The agent has stopped: {0}', plain(error?.message ?? message ?? '', 200));
  if (stopReason !== 'end_turn') return message ? plain(message) : vscode.l10n.t('The agent has stopped: {0}', stopReason);
  const files = new Set((changes ?? []).map((c) => c.path)).size;
  if (files === 0) return vscode.l10n.t('The agent has finished.');
  return files === 1 ? vscode.l10n.t('The agent has finished. It has changed a file.') : vscode.l10n.t('The agent has finished. It has changed {0} files.', files);
}
