// What the rest of the extension knows of the running sidecar. `sidecar.ts` implements
// it over vscode-languageclient; tests implement it over nothing.
import type { Disposable, Event } from 'vscode';
import type { AgentCapabilities, AgentEvent, Requests, Notifications } from '../protocol';

/** What the process is doing. `missing`: no binary was found. `failed`: it could not be started, or ended too often. */
export type SidecarState = 'stopped' | 'starting' | 'running' | 'restarting' | 'missing' | 'failed';

export interface Sidecar extends Disposable {
  readonly state: SidecarState;
  readonly onState: Event<SidecarState>;
  /** Of the running process; undefined until it has answered `initialize`. */
  readonly capabilities: AgentCapabilities | undefined;
  /** Each `agent/event`, in the order in which it came. */
  readonly onEvent: Event<AgentEvent>;
  /**
   * Sends a request. Rejects with the sidecar's error (`code`, `data.kind`), or with
   * `Unavailable` where no process runs. Never retries.
   */
  request<M extends keyof Requests>(method: M, params: Requests[M]['params']): Promise<Requests[M]['result']>;
  notify<M extends keyof Notifications>(method: M, params: Notifications[M]): void;
  restart(): Promise<void>;
}

/** No sidecar runs that could answer. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}
