// Says that a run has ended when nobody is looking at this window.
import { commands, type Disposable, l10n, window, workspace } from 'vscode';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';

export function notifyEnds(sidecar: SidecarProcess): Disposable {
  const cut = new Set<string>(); // forks in which nothing has run: what ends there goes on in the other session
  return sidecar.onEvent((event) => {
    if (event.type === 'session.opened' && event.data.parent?.atSeq) cut.add(event.sessionId);
    if (event.type === 'run.started') cut.delete(event.sessionId);
    if (event.type !== 'run.ended' || event.agentPath?.length || cut.has(event.sessionId)) return;
    if (sidecar.sessions.get(event.sessionId)?.runId !== undefined) return; // a prompt was taken out of the queue; what runs goes on
    const when = workspace.getConfiguration('agentSidecar').get<string>('notifyWhenDone') ?? 'unfocused';
    if (when === 'never' || (when === 'unfocused' && window.state.focused)) return;
    const title = plain(sidecar.sessions.get(event.sessionId)?.title || l10n.t('New session'), 60);
    const show = l10n.t('Show');
    const tell = event.data.stopReason === 'error' ? window.showWarningMessage : window.showInformationMessage;
    void tell(endText(event.data.stopReason, title, event.data.changes?.length ?? 0), show).then((answer) => {
      if (answer === show) void commands.executeCommand('agentSidecar.showSession', { sessionId: event.sessionId });
    });
  });
}

function endText(stopReason: string, title: string, files: number): string {
  switch (stopReason) {
    case 'end_turn':
      if (files === 0) return l10n.t('Agent: done – {0}', title);
      return files === 1 ? l10n.t('Agent: done, 1 file changed – {0}', title) : l10n.t('Agent: done, {0} files changed – {1}', files, title);
    case 'cancelled':
      return l10n.t('Agent: stopped – {0}', title);
    case 'error':
      return l10n.t('Agent: failed – {0}', title);
    default:
      return l10n.t('Agent: ended before it was done – {0}', title);
  }
}
