// What a person is told when no process runs, and what they can do about it.
import { commands, type Disposable, type ExtensionContext, l10n, window } from 'vscode';
import { plain } from '../text/plain';
import type { Found } from './binary';
import type { SidecarProcess } from './sidecar';

export function tellProblems(context: ExtensionContext, sidecar: SidecarProcess): Disposable {
  return sidecar.onState((state) => {
    if (state === 'missing') void tellMissing(context, sidecar.problem.found);
    if (state === 'failed') void tellFailed(sidecar);
  });
}

/** One line for the chat and the status bar. */
export function problemText(sidecar: SidecarProcess): string | undefined {
  if (sidecar.state === 'missing') return missingText(sidecar.problem.found);
  if (sidecar.state !== 'failed') return undefined;
  return sidecar.problem.message
    ? l10n.t('The sidecar could not be started: {0}', plain(sidecar.problem.message))
    : l10n.t('The sidecar ended five times within three minutes and is not restarted automatically.');
}

function missingText(found: Found | undefined): string {
  if (found?.path === undefined && found?.why === 'setting_relative') {
    return l10n.t('The setting agentSidecar.path must be an absolute path: {0}', plain(found.tried[0]));
  }
  if (found?.path === undefined && found?.why === 'setting_missing') {
    return l10n.t('The setting agentSidecar.path names no program: {0}', plain(found.tried[0]));
  }
  return l10n.t('The program agent-sidecar was not found: it is not in this extension and not in the PATH.');
}

async function tellMissing(context: ExtensionContext, found: Found | undefined): Promise<void> {
  const setting = l10n.t('Open Setting'), help = l10n.t('How to Install');
  const answer = await window.showErrorMessage(missingText(found), setting, help);
  if (answer === setting) await commands.executeCommand('workbench.action.openSettings', 'agentSidecar.path');
  if (answer === help) await commands.executeCommand('extension.open', context.extension.id);
}

async function tellFailed(sidecar: SidecarProcess): Promise<void> {
  const restart = l10n.t('Restart'), show = l10n.t('Show Output');
  const answer = await window.showErrorMessage(problemText(sidecar) ?? '', restart, show);
  if (answer === restart) await sidecar.restart();
  if (answer === show) sidecar.output.show(true);
}
