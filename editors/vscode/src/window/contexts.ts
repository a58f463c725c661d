// What the conditions of menus and keys ask for: the state of the process, whether
// something runs, and whether sessions can work elsewhere.
import { commands, type Disposable } from 'vscode';
import { current } from '../sessions/current';
import type { SidecarProcess } from '../sidecar/sidecar';

export function contexts(process: SidecarProcess): Disposable {
  let running: boolean | undefined;
  let elsewhere: boolean | undefined;
  const tellState = () => void commands.executeCommand('setContext', 'agentSidecar.state', process.state);
  const tellRunning = () => {
    const now = process.sessions.running().length > 0;
    if (now === running) return;
    running = now;
    void commands.executeCommand('setContext', 'agentSidecar.running', now);
  };
  const tellElsewhere = () => {
    const now = process.runners.length > 0 || !!(current.id && process.sessions.get(current.id)?.runner);
    if (now === elsewhere) return;
    elsewhere = now;
    void commands.executeCommand('setContext', 'agentSidecar.elsewhere', now);
  };
  tellState();
  tellRunning();
  tellElsewhere();
  const state = process.onState(() => {
    tellState();
    tellRunning();
    tellElsewhere();
  });
  const event = process.onEvent(() => {
    tellRunning();
    tellElsewhere();
  });
  const heard = [state, event, process.onCapabilities.event(tellElsewhere), current.onChange(tellElsewhere)];
  return { dispose() {
    for (const h of heard) h.dispose();
  } };
}
