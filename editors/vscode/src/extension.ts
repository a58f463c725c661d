// Puts the rooms together. Nothing here waits and nothing heavy is loaded: the process and
// the language client come after the window has its extension.
import { type ExtensionContext, l10n, window } from 'vscode';
import * as approvals from './approvals';
import * as changes from './changes';
import * as chat from './chat';
import * as inline from './inline';
import { artifactContent } from './documents/artifacts';
import { provideSides } from './documents/sides';
import { sendDiagnostics } from './sidecar/diagnostics';
import { tellProblems } from './sidecar/problems';
import { reloadChanged } from './sidecar/reload';
import { resumeAfterCrash } from './sidecar/resume';
import { SidecarProcess } from './sidecar/sidecar';
import { Keys } from './start/keys';
import { registerCommands } from './window/commands';
import { contexts } from './window/contexts';
import { notifyEnds } from './window/runends';
import { statusBar } from './window/statusbar';

/** For tests: what runs in this window. */
export interface Api { sidecar: SidecarProcess }

let sidecar: SidecarProcess | undefined;

export function activate(context: ExtensionContext): Api {
  const keys = new Keys(context);
  const process = (sidecar = new SidecarProcess(context, () => keys.all()));
  context.subscriptions.push(
    tellProblems(context, process), resumeAfterCrash(process), sendDiagnostics(process), reloadChanged(process),
    statusBar(process), notifyEnds(process), contexts(process), provideSides(),
    keys.onChange(() => {
      window.setStatusBarMessage(l10n.t('Agent: an API key has changed'), 5000);
      void process.keysChanged();
    }),
  );
  const questions = approvals.register(context, process);
  const changed = changes.register(context, process);
  chat.register(context, process, questions, changed);
  inline.register(context, process, questions, changed);
  registerCommands(context, process, keys, changed);
  process.hooks.review = (args) => questions.reviewAsked(args);
  process.hooks.artifact = (uri, token) => artifactContent(process, uri, token);
  setImmediate(() => void process.start());
  return { sidecar: process };
}

export async function deactivate(): Promise<void> {
  await sidecar?.dispose();
  sidecar = undefined;
}
