// The session that is shown: opened, read backwards as far as somebody scrolls, followed
// live, spoken to. It draws nothing; `changed` is called when there is something to draw.
import type { AgentEvent, Approval, QueueItem, RunParams, Session } from '../../protocol';
import type { Host, Refused } from './host';
import { SessionLog } from './log';
import type { Model } from './model';
import { newModel } from './model';

/** So many events of the end are read when a session is opened, and with each step back. */
const step = 300;
const pageBytes = 512 * 1024;

export class Talk {
  sessionId: string | null = null;
  log: SessionLog | undefined;
  /** Another process has the session: its pid where it is known. */
  locked: { pid?: number; free?: boolean } | undefined;
  interrupted = false;
  loading = false;
  problem = '';
  /** Of no session: trust, inline configuration. */
  readonly config = new Map<string, Approval>();
  /** For a session that does not exist yet. */
  wanted: { agent?: string; model?: string; mode?: string } = {};
  private empty: Model = newModel('');
  private early: AgentEvent[] | undefined;
  private reading = false;
  /** Nothing could be read before this seq. */
  private nothingBefore = -1;
  private readers = new Map<string, Promise<void>>();
  private turn = 0;

  constructor(private readonly host: Host, private readonly changed: () => void) {}

  get model(): Model { return this.log?.model ?? this.empty; }
  get readOnly(): boolean { return !!this.locked; }
  get questions(): Approval[] { return [...this.config.values(), ...this.model.approvals.values()]; }

  /** Shows a session, or none. What is drawn of another one goes at once. */
  async open(id: string | null): Promise<void> {
    const turn = ++this.turn;
    const again = id !== null && id === this.sessionId;
    this.sessionId = id;
    this.locked = undefined;
    this.interrupted = false;
    this.problem = '';
    this.nothingBefore = -1;
    this.loading = false;
    if (!again) {
      this.log = undefined;
      this.empty = newModel('');
      this.wanted = {};
    }
    this.changed();
    if (id === null) return;
    this.loading = true;
    this.early = [];
    const log = new SessionLog(id);
    try {
      let tail: number;
      try {
        const r = await this.host.request('agent/session/resume', { sessionId: id });
        tail = r.tailSeq;
        log.model.session = r.session;
        log.model.context = r.session.usage?.context;
        log.open(r.pendingApprovals ?? [], r.pendingQuestions ?? [], r.queue ?? []);
        if (r.session.state === 'running' || r.session.state === 'waiting_approval') log.model.active = '?';
        this.interrupted = !!r.interrupted && r.session.state !== 'running';
      } catch (e) {
        const locked = e as Refused;
        if (locked.kind !== 'session_locked') throw e;
        if (turn === this.turn) this.locked = { pid: (locked.data as { pid?: number } | undefined)?.pid };
        tail = (await this.host.request('agent/events', { sessionId: id, after: Number.MAX_SAFE_INTEGER, limit: 1 })).tailSeq;
        const listed = await this.host.request('agent/session/list', { limit: 1000 }).catch(() => undefined);
        const known = listed?.sessions.find((s) => s.id === id);
        if (known) log.model.session = known;
      }
      await this.read(log, Math.max(0, tail - step), tail + 1);
      if (turn !== this.turn) return;
      // What the log says of the end of it is newer than what was asked before.
      this.log = log;
      if (log.model.active === '?' && log.model.root.rows.at(-1)?.kind === 'end') log.model.active = undefined;
      const early = this.early ?? [];
      this.early = undefined;
      this.loading = false;
      this.take(log, early);
      this.readRunningAgents(log);
    } catch (e) {
      if (turn !== this.turn) return;
      this.early = undefined;
      this.loading = false;
      this.problem = (e as Error).message;
      if ((e as Refused).kind === 'session_not_found') {
        this.sessionId = null;
        this.log = undefined;
      }
    }
    this.changed();
  }

  events(events: AgentEvent[]): void {
    for (const e of events) {
      if (e.sessionId !== '') continue;
      if (e.type === 'approval.requested') this.config.set(e.data.approvalId, e.data);
      else if (e.type === 'approval.resolved') this.config.delete(e.data.approvalId);
    }
    if (this.early) this.early.push(...events);
    else if (this.log) this.take(this.log, events);
    this.changed();
  }

  private take(log: SessionLog, events: AgentEvent[]): void {
    log.live(events);
    if (log.model.active !== undefined) this.interrupted = false; // it went on, or something else was asked
    if (log.hole && !this.reading) void this.fill(log);
  }

  /** Reads what lies between the last event that is here and the first that came live. */
  private async fill(log: SessionLog): Promise<void> {
    this.reading = true;
    try {
      for (let hole = log.hole; hole && this.log === log; hole = log.hole) {
        const last = log.last;
        await this.read(log, hole.after, hole.before);
        if (log.last === last) break; // the log does not have it: not asked for again until the next event
      }
    } catch {
      // The next event asks again.
    } finally {
      this.reading = false;
      this.changed();
    }
  }

  private async read(log: SessionLog, after: number, before: number): Promise<void> {
    const events: AgentEvent[] = [];
    for (let from = after; ;) {
      const page = await this.host.request('agent/events', { sessionId: log.sessionId, after: from, before, maxBytes: pageBytes });
      events.push(...page.events);
      if (!page.hasMore || page.nextAfter <= from) break;
      from = page.nextAfter;
    }
    log.page(events);
  }

  /** Reads one step further back; whoever scrolls asks for it. */
  async earlier(): Promise<void> {
    const log = this.log;
    if (!log || log.complete || this.reading || this.loading || !log.first || log.first === this.nothingBefore) return;
    const { first } = log;
    this.reading = true;
    try {
      await this.read(log, Math.max(0, first - 1 - step), first);
    } catch {
      // Opened again, it is asked for again.
    } finally {
      this.reading = false;
      if (log.first === first) this.nothingBefore = first;
      this.changed();
    }
  }

  /** Reads all that a sub-agent did, once. */
  readAgent(path: string): void {
    const log = this.log;
    if (!log || log.hasAll([path]) || this.readers.has(`${log.sessionId} ${path}`)) return;
    const read = async () => {
      for (let after = 0; ;) {
        const page = await this.host.request('agent/events', { sessionId: log.sessionId, agentPath: [path], after, maxBytes: pageBytes });
        log.pageOf(page.events);
        this.changed();
        if (!page.hasMore || page.nextAfter <= after) return;
        after = page.nextAfter;
      }
    };
    const key = `${log.sessionId} ${path}`;
    this.readers.set(key, read().catch(() => {}).finally(() => this.readers.delete(key)));
  }

  private readRunningAgents(log: SessionLog): void {
    for (const row of log.model.root.calls.values()) {
      if (row.agent && !row.agent.status && row.state !== 'completed') this.readAgent(row.agent.path);
    }
  }

  /** Sends a prompt; where none is shown a session begins with it. */
  async run(params: Omit<RunParams, 'sessionId'>): Promise<void> {
    const clientMessageId = crypto.randomUUID();
    if (this.sessionId !== null) {
      await this.host.request('agent/run', { ...params, clientMessageId, sessionId: this.sessionId });
      return;
    }
    const sessionId = await this.begin();
    await this.host.request('agent/run', { ...params, clientMessageId, sessionId });
  }

  /** Makes the session that is shown where none is. */
  async begin(): Promise<string> {
    const turn = ++this.turn;
    this.early = [];
    try {
      const { session } = await this.host.request('agent/session/new', this.wanted);
      if (turn !== this.turn) return session.id; // another one is shown by now
      this.sessionId = session.id;
      this.log = new SessionLog(session.id);
      this.log.model.session = session;
      const early = this.early;
      this.early = undefined;
      this.take(this.log, early ?? []);
      return session.id;
    } finally {
      if (turn === this.turn) this.early = undefined;
      this.changed();
    }
  }

  /** Continues from before a prompt, in a fork. */
  async forkAt(atSeq: number | undefined): Promise<void> {
    if (this.sessionId === null) return;
    const { session } = await this.host.request('agent/session/fork', { sessionId: this.sessionId, ...(atSeq !== undefined && { atSeq }) });
    await this.open(session.id);
  }

  /** Runs the last prompt again, in the same conversation. */
  async retry(): Promise<void> {
    if (this.sessionId === null) return;
    await this.host.request('agent/run', { sessionId: this.sessionId, retry: true, clientMessageId: crypto.randomUUID() });
  }

  async goOn(): Promise<void> {
    if (this.sessionId === null) return;
    this.interrupted = false;
    this.changed();
    await this.host.request('agent/session/resume', { sessionId: this.sessionId, continuePendingWork: true });
  }

  /** The answer to a question; what went wrong, where something did. */
  async answer(a: Approval, params: object): Promise<'stale' | undefined> {
    const r = await this.host.request('agent/approve', { approvalId: a.approvalId, digest: a.digest, ...params } as never);
    if (r.status === 'stale') {
      if (r.approval) this.take_(r.approval, a.approvalId);
      return r.approval ? undefined : 'stale';
    }
    if (r.status !== 'applied') { // somebody else was first; the event says what
      this.config.delete(a.approvalId);
      this.model.approvals.delete(a.approvalId);
    }
    this.changed();
    return undefined;
  }

  private take_(fresh: Approval, old: string): void {
    this.model.approvals.delete(old);
    (fresh.sessionId ? this.model.approvals : this.config).set(fresh.approvalId, fresh);
    this.changed();
  }

  async queue(op: 'remove' | 'update', item: { itemId: string }, text?: string): Promise<void> {
    if (!this.log) return;
    const beside = this.log.model.queue.find((q) => q.itemId === item.itemId)?.prompt.filter((b) => b.type !== 'text') ?? [];
    const r = await this.host.request('agent/queue', { sessionId: this.log.sessionId, op, itemId: item.itemId, ...(text !== undefined && { prompt: [{ type: 'text', text }, ...beside] }) });
    this.log.model.queue = r.items;
    this.changed();
  }

  /** Takes a prompt out of the queue and hands it to the run under way. */
  async steer(item: QueueItem): Promise<void> {
    if (!this.log) return;
    const { sessionId } = this.log;
    const { prompt } = item;
    await this.queue('remove', item);
    await this.host.request('agent/run', { sessionId, prompt, delivery: 'steer', clientMessageId: crypto.randomUUID() })
      .catch(() => this.host.request('agent/run', { sessionId, prompt })); // the run has ended meanwhile
  }

  /** For the session that the next prompt begins. */
  want(what: { agent?: string; mode?: string }): void {
    Object.assign(this.wanted, what);
    this.changed();
  }

  async update(what: { model: string }): Promise<void> {
    if (this.sessionId === null) {
      Object.assign(this.wanted, what);
      return this.changed();
    }
    const { session } = await this.host.request('agent/session/update', { sessionId: this.sessionId, ...what });
    this.take_session(session);
  }

  take_session(session: Session): void {
    if (this.log?.sessionId === session.id) this.log.model.session = session;
    this.changed();
  }

  /** Questions of no session that were asked before the page was there. */
  async readConfig(): Promise<void> {
    const r = await this.host.request('agent/approvals', {}).catch(() => undefined);
    for (const a of r?.items ?? []) if (!a.sessionId) this.config.set(a.approvalId, a);
    this.changed();
  }
}
