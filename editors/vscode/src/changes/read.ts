// Reads the sidecar's list of what the runs of a session have changed.
import type { Sidecar } from '../sidecar/api';
import type { Changed, RunChanges } from './model';

/** Oldest run first. */
export async function read(sidecar: Pick<Sidecar, 'request'>, sessionId: string): Promise<RunChanges[]> {
  const ask = sidecar.request as unknown as (method: string, params: unknown) => Promise<{ runs: { runId: string; title?: string; files: Changed[] }[] }>;
  const { runs } = await ask.call(sidecar, 'agent/session/changes', { sessionId });
  return runs.map((r) => ({ runId: r.runId, title: r.title ?? r.runId, files: r.files }));
}
