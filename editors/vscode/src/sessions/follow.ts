// Follows a session that another process has open, by reading its log: read only.
import type { AgentEvent, Requests } from '../protocol';

type Page = Requests['agent/events']['result'];

export interface Following {
  /** Reads a page of the log. */
  read(params: Requests['agent/events']['params']): Promise<Page>;
  /** New durable events, in order. */
  told(sessionId: string, events: AgentEvent[]): void;
  /** Another process has the session, or since now none has. Told when it changes. */
  lockedBy(sessionId: string, by: { pid: number } | null): void;
  /** It is over: the session is gone. */
  lost(sessionId: string): void;
  /** Waits; ends early when the signal says so. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  now(): number;
}

const wait = 30_000;      // how long the sidecar may hold a page back
const pause = 1_000;      // between pages that came back empty at once
const longest = 30_000;   // between attempts that failed

/** These do not go away by asking again. Everything else may. */
const final = new Set(['session_not_found', 'invalid_params']);

export class Follower {
  private current: { sessionId: string; stop: AbortController } | undefined;

  constructor(private readonly way: Following) {}

  get sessionId(): string | undefined {
    return this.current?.sessionId;
  }

  /**
   * Begins behind the last event that stands in the log now, and returns when that is
   * known: whoever reads the log from then on misses nothing. What both give is the same
   * event with the same seq.
   */
  async follow(sessionId: string): Promise<void> {
    if (this.current?.sessionId === sessionId) return;
    this.stop();
    const stop = new AbortController();
    this.current = { sessionId, stop };
    let after = 0;
    try {
      after = (await this.way.read({ sessionId, after: Number.MAX_SAFE_INTEGER, limit: 1 })).tailSeq;
    } catch (error) {
      if (final.has(kindOf(error))) {
        this.end(sessionId, stop);
        throw error;
      }
      // From the beginning, then: what is known already is known by its seq.
    }
    void this.run(sessionId, after, stop);
  }

  stop(): void {
    this.current?.stop.abort();
    this.current = undefined;
  }

  private end(sessionId: string, stop: AbortController): void {
    if (this.current?.stop !== stop) return;
    this.current = undefined;
    this.way.lost(sessionId);
  }

  private async run(sessionId: string, after: number, stop: AbortController): Promise<void> {
    let failures = 0;
    let locked: number | null | undefined;
    while (!stop.signal.aborted) {
      const began = this.way.now();
      let page: Page;
      try {
        page = await this.way.read({ sessionId, after, waitMs: wait });
        failures = 0;
      } catch (error) {
        if (stop.signal.aborted) return;
        if (final.has(kindOf(error))) return this.end(sessionId, stop);
        await this.way.sleep(Math.min(pause * 2 ** failures++, longest), stop.signal);
        continue;
      }
      if (stop.signal.aborted) return;
      if (page.events.length > 0) this.way.told(sessionId, page.events as AgentEvent[]);
      after = Math.max(after, page.nextAfter);
      const by = page.lockedBy ?? null;
      if (locked !== (by?.pid ?? null)) this.way.lockedBy(sessionId, by);
      locked = by?.pid ?? null;
      // A sidecar that cannot wait on a log of another process answers at once.
      if (page.events.length === 0 && !page.hasMore && this.way.now() - began < pause) await this.way.sleep(pause, stop.signal);
    }
  }
}

function kindOf(error: unknown): string {
  return (error as { data?: { kind?: string } } | undefined)?.data?.kind ?? '';
}

/** The clock of the world. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done();
    const end = () => { clearTimeout(timer); signal.removeEventListener('abort', end); done(); };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
