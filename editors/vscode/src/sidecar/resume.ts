// After a crash the sessions in which something ran go on by themselves: the sidecar
// closes what it had left open, and begins a run of kind `continuation`. Nothing is run
// again without being planned, judged and asked anew. A session whose run ends the
// process twice in a few minutes is left to the person.
import { type Disposable, l10n, window } from 'vscode';
import { plain } from '../text/plain';
import type { SidecarProcess } from './sidecar';

const againMs = 180_000;

export function resumeAfterCrash(sidecar: SidecarProcess, now: () => number = Date.now): Disposable {
  const last = new Map<string, number>();
  const goOn = async (sessionId: string) => {
    try {
      const { session } = await sidecar.request('agent/session/resume', { sessionId, continuePendingWork: true });
      sidecar.sessions.learn(session);
    } catch (error) {
      sidecar.output.warn(`resume ${sessionId}: ${String(error)}`);
    }
  };
  return sidecar.onInterrupted.event(async (ids) => {
    for (const id of ids) {
      const before = last.get(id);
      last.set(id, now());
      if (before === undefined || now() - before > againMs) {
        await goOn(id);
        continue;
      }
      const go = l10n.t('Continue');
      const title = plain(sidecar.sessions.get(id)?.title || id, 60);
      void window.showWarningMessage(l10n.t('The sidecar ended twice while "{0}" ran. The session is as it was; the run was not continued automatically.', title), go).then((answer) => {
        if (answer === go) void goOn(id);
      });
    }
  });
}
