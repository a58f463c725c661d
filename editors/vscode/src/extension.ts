// Puts the rooms together. Nothing here waits and nothing heavy is loaded: the process and
// the language client come after the window has its extension.
import { commands, type ExtensionContext, l10n, window } from 'vscode';
import { registerCommands } from './commands';
import { Keys } from './keys';
import * as rooms from './rooms';
import { notifyEnds } from './notify';
import { sendDiagnostics } from './sidecar/diagnostics';
import { tellProblems } from './sidecar/problems';
import { reloadChanged } from './sidecar/reload';
import { resumeAfterCrash } from './sidecar/resume';
import { SidecarProcess } from './sidecar/sidecar';
import { statusBar } from './status';

/** For tests: what runs in this window. */
export interface Api { sidecar: SidecarProcess }

let sidecar: SidecarProcess | undefined;

export function activate(context: ExtensionContext): Api {
  const keys = new Keys(context);
  const process = (sidecar = new SidecarProcess(context, () => keys.all()));
  context.subscriptions.push(
    tellProblems(context, process), resumeAfterCrash(process), sendDiagnostics(process), reloadChanged(process),
    statusBar(process), notifyEnds(process), contexts(process),
    keys.onChange(() => {
      window.setStatusBarMessage(l10n.t('Agent: an API key has changed'), 5000);
      process.restartWhenIdle();
    }),
  );
  const { changes } = rooms.register(context, process);
  registerCommands(context, process, keys, changes);
  setImmediate(() => void process.start());
  return { sidecar: process };
}

export async function deactivate(): Promise<void> {
  await sidecar?.dispose();
  sidecar = undefined;
}

/** What menus and keys ask for: the state of the process, and whether something runs. */
function contexts(process: SidecarProcess) {
  let running: boolean | undefined;
  const tellState = () => void commands.executeCommand('setContext', 'agentSidecar.state', process.state);
  const tellRunning = () => {
    const now = process.sessions.running().length > 0;
    if (now === running) return;
    running = now;
    void commands.executeCommand('setContext', 'agentSidecar.running', now);
  };
  tellState();
  tellRunning();
  const state = process.onState(() => {
    tellState();
    tellRunning();
  });
  const event = process.onEvent(tellRunning);
  return { dispose() {
    state.dispose();
    event.dispose();
  } };
}
