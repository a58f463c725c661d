// What the conditions of menus and keys ask for: the state of the process, and whether
// something runs.
import { commands, type Disposable } from 'vscode';
import type { SidecarProcess } from '../sidecar/sidecar';

export function contexts(process: SidecarProcess): Disposable {
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
