// The files that the runs of a session have changed, as the sidecar lists them, without
// those that the person has said they keep. Keeping is a look at a list: it changes no
// file and nothing that the sidecar has.

/** A file as it is now, beside what it was. Without a checkpoint there was no file, or its text was not kept. */
export interface Changed {
  path: string;
  uri: string;
  kind: string;
  from?: string;
  additions: number;
  deletions: number;
  /** The document of what was there before. */
  checkpoint?: string;
}

export interface RunChanges { runId: string; title: string; files: Changed[] }

/** Paths that are kept, by session and run. */
export type KeptPaths = Record<string, Record<string, string[]>>;

const mostSessions = 50;

/** Read from where the editor keeps it: anything may be there. */
export function keptPaths(v: unknown): KeptPaths {
  const out: KeptPaths = {};
  if (typeof v !== 'object' || v === null) return out;
  for (const [session, runs] of Object.entries(v)) {
    if (typeof runs !== 'object' || runs === null) continue;
    for (const [run, paths] of Object.entries(runs as object)) {
      if (Array.isArray(paths)) (out[session] ??= {})[run] = paths.filter((p): p is string => typeof p === 'string');
    }
  }
  return out;
}

/** The same with these paths kept; the sessions that were not touched longest go first. */
export function keep(kept: KeptPaths, sessionId: string, runId: string, paths: readonly string[]): KeptPaths {
  const { [sessionId]: mine = {}, ...others } = kept;
  const all: KeptPaths = { ...others, [sessionId]: { ...mine, [runId]: [...new Set([...(mine[runId] ?? []), ...paths])].sort() } };
  return Object.fromEntries(Object.entries(all).slice(-mostSessions));
}

/** What is still to be looked at: no empty runs. */
export function toLookAt(runs: readonly RunChanges[], kept: Record<string, string[]> = {}): RunChanges[] {
  return runs
    .map((run) => ({ ...run, files: run.files.filter((f) => !kept[run.runId]?.includes(f.path)) }))
    .filter((run) => run.files.length > 0);
}
