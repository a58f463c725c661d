// The way to the extension: requests and actions with their answers, and what it tells.
import type { Action, FromPage, PageState, Relayed, ToPage } from '../../chat/messages';
import type { Requests } from '../../protocol';

interface Api { postMessage(m: unknown): void }
declare function acquireVsCodeApi(): Api;

export class Refused extends Error {
  constructor(message: string, readonly kind?: string, readonly data?: unknown) { super(message); }
}

export class Host {
  private readonly api: Api = acquireVsCodeApi();
  private next = 1;
  private open = new Map<number, { yes(result: unknown): void; no(error: Refused): void }>();

  constructor(told: (m: Exclude<ToPage, { type: 'answer' }>) => void) {
    window.addEventListener('message', (e: MessageEvent<ToPage>) => {
      const m = e.data;
      if (m?.type !== 'answer') return told(m);
      const waiting = this.open.get(m.id);
      this.open.delete(m.id);
      if (m.error) waiting?.no(new Refused(m.error.message, m.error.kind, m.error.data));
      else waiting?.yes(m.result);
    });
  }

  request<M extends Relayed>(method: M, params: Requests[M]['params']): Promise<Requests[M]['result']> {
    return this.ask((id) => ({ type: 'request', id, method, params })) as Promise<Requests[M]['result']>;
  }

  perform(action: Action): Promise<unknown> {
    return this.ask((id) => ({ type: 'do', id, action }));
  }

  ready(): void { this.post({ type: 'ready', version: 1 }); }
  titled(title: string): void { this.post({ type: 'titled', title }); }
  keep(state: PageState): void { this.post({ type: 'state', state }); }

  private post(m: FromPage): void { this.api.postMessage(m); }

  private ask(message: (id: number) => FromPage): Promise<unknown> {
    const id = this.next++;
    return new Promise((yes, no) => {
      this.open.set(id, { yes, no });
      this.post(message(id));
    });
  }
}
