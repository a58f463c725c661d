// Why a request failed, for whoever tells a person.
import { Unavailable } from './api';

/** Its words, and the kind of error where the sidecar named one. */
export interface Failure { message: string; kind?: string; data?: unknown }

/** The sidecar's error: its kind and data stand in `data`; anything else has a message only. */
export function failure(error: unknown): Failure {
  const e = error as { message?: unknown; data?: { kind?: unknown } | undefined } | undefined;
  const message = typeof e?.message === 'string' && e.message !== '' ? e.message : String(error);
  const kind = typeof e?.data?.kind === 'string' ? e.data.kind : error instanceof Unavailable ? 'unavailable' : undefined;
  return { message, ...(kind !== undefined && { kind }), ...(e?.data !== undefined && { data: e.data }) };
}
