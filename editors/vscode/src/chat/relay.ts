// Carries the page's requests to the sidecar and its answers back, and nothing else.
import type { Requests } from '../protocol';
import { type Sidecar, Unavailable } from '../sidecar/api';
import type { FromPage, Relayed, ToPage } from './messages';

export type Answer = Extract<ToPage, { type: 'answer' }>;
type Request = Extract<FromPage, { type: 'request' }>;

/** What happens around a request, before its answer reaches the page. */
export interface Around {
  /** It was answered. */
  done?(method: Relayed, params: unknown, result: unknown): void;
  /** It failed; the page learns of it when this has ended. */
  failed?(method: Relayed, params: unknown, error: Failure): Promise<void> | void;
}

/** An error as the page is told it. */
export interface Failure { message: string; kind?: string; data?: unknown }

/** The sidecar's error: its kind and data stand in `data`; anything else has a message only. */
export function failure(error: unknown): Failure {
  const e = error as { message?: unknown; data?: { kind?: unknown } | undefined } | undefined;
  const message = typeof e?.message === 'string' && e.message !== '' ? e.message : String(error);
  const kind = typeof e?.data?.kind === 'string' ? e.data.kind : error instanceof Unavailable ? 'unavailable' : undefined;
  return { message, ...(kind !== undefined && { kind }), ...(e?.data !== undefined && { data: e.data }) };
}

/** Full access is confirmed in a dialog of the editor, so the page has no word for the yes. */
function withheld(params: unknown): boolean {
  return typeof params === 'object' && params !== null && 'confirm' in params;
}

export async function relay(sidecar: Pick<Sidecar, 'request'>, m: Request, around: Around = {}): Promise<Answer> {
  if (withheld(m.params)) {
    return { type: 'answer', id: m.id, error: { message: 'the page cannot confirm', kind: 'refused' } };
  }
  try {
    const result = await sidecar.request(m.method, m.params as Requests[Relayed]['params']);
    around.done?.(m.method, m.params, result);
    return { type: 'answer', id: m.id, result };
  } catch (error) {
    const told = failure(error);
    await around.failed?.(m.method, m.params, told);
    return { type: 'answer', id: m.id, error: told };
  }
}
