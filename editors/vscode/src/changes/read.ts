// Reads the sidecar's lists of what the runs of a session have changed and is not back.
import type { AgentEvent, ContentBlock, Requests } from '../protocol';
import type { Sidecar } from '../sidecar/api';
import type { Changed, RunChanges } from './model';

type Asks = Pick<Sidecar, 'request'>;

/** Runs that are looked at by themselves; what older ones did is in the list of the whole session. */
const mostRuns = 10;

/** The files of a run, or without one of the whole session. */
export async function filesOf(sidecar: Asks, sessionId: string, runId?: string): Promise<Changed[]> {
  const files: Changed[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: Requests['agent/session/changes']['result'] = await sidecar.request('agent/session/changes',
      { sessionId, ...(runId !== undefined && { runId }), ...(cursor !== undefined && { cursor }) });
    files.push(...page.items.map((i) => ({
      path: i.path, uri: i.uri, kind: i.kind, additions: i.additions, deletions: i.deletions,
      ...(i.from && { from: i.from }), ...(i.checkpoint && { checkpoint: i.checkpoint }),
    })));
    if (page.nextCursor === null) return files;
    cursor = page.nextCursor;
  }
}

/** The last runs that have changed files which are not back, newest first. */
export async function runsOf(sidecar: Asks, sessionId: string): Promise<RunChanges[]> {
  const runs: RunChanges[] = [];
  for (const { runId, title } of changers(await bounds(sidecar, sessionId)).slice(0, mostRuns)) {
    const files = await filesOf(sidecar, sessionId, runId);
    if (files.length > 0) runs.push({ runId, title, files });
  }
  return runs;
}

/** Each file that was changed from a prompt on, as it was before it. */
export async function filesSince(sidecar: Asks, sessionId: string, seq: number): Promise<Changed[]> {
  const files = new Map<string, Changed>();
  const since = (await bounds(sidecar, sessionId)).filter((e) => e.seq !== undefined && e.seq >= seq);
  for (const { runId } of changers(since).reverse()) {
    for (const f of await filesOf(sidecar, sessionId, runId)) if (!files.has(f.path)) files.set(f.path, f);
  }
  return [...files.values()];
}

/** The newest run; undefined before the first. */
export async function lastRunOf(sidecar: Asks, sessionId: string): Promise<string | undefined> {
  return (await bounds(sidecar, sessionId)).findLast((e) => e.type === 'run.started' && !e.agentPath?.length)?.runId;
}

/** Where the runs of a session begin and end, in the order of its log. */
async function bounds(sidecar: Asks, sessionId: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for (let after = 0; ; ) {
    const page = await sidecar.request('agent/events', { sessionId, after, types: ['run.started', 'run.ended'], limit: 500 });
    events.push(...(page.events as AgentEvent[]));
    after = page.nextAfter;
    if (!page.hasMore) return events;
  }
}

/** The runs of a log that have changed something, or may have since they still go on: newest first, by the first line of their prompt. */
export function changers(events: readonly AgentEvent[]): { runId: string; title: string }[] {
  const titles = new Map<string, string>();
  const idle = new Set<string>();
  let asked = ''; // by a person; a run that goes on after an interruption has words of the sidecar's
  for (const e of events) {
    if (e.runId === undefined || e.agentPath?.length) continue;
    if (e.type === 'run.started') {
      if (e.data.kind !== 'continuation' || asked === '') asked = firstLine(e.data.prompt);
      titles.set(e.runId, asked);
    }
    else if (e.type === 'run.ended' && !e.data.changes?.length) idle.add(e.runId);
  }
  return [...titles].filter(([id]) => !idle.has(id)).map(([runId, title]) => ({ runId, title: title === '' ? runId : title })).reverse();
}

function firstLine(prompt: readonly ContentBlock[] | string | undefined): string {
  const text = typeof prompt === 'string' ? prompt : (prompt ?? []).map((b) => b.text ?? '').join(' ');
  return text.trim().split('\n', 1)[0]!;
}
