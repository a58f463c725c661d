// The log of one session as far as the page has it: it takes pages and live events in
// any order and gives each event to the fold once. What is missing between is named,
// so that it can be read.
import type { AgentEvent, Approval, QuestionAsked, QueueItem } from '../../protocol';
import { apply, isDurable, threadOf } from './fold';
import { newModel, newThread, type CallRow, type Model, type Row, type Thread } from './model';

let generations = 0;

export class SessionLog {
  model: Model;
  /** Durable events of the session itself, in order and without a hole. */
  private own: AgentEvent[] = [];
  /** Live ones behind a hole, until it is filled. */
  private waiting: AgentEvent[] = [];
  private subs = new Map<string, Map<number, AgentEvent>>();

  constructor(readonly sessionId: string) {
    this.model = newModel(sessionId, ++generations);
  }

  get first(): number { return this.own[0]?.seq ?? 0; }
  get last(): number { return this.own.at(-1)?.seq ?? 0; }
  /** Everything from the first event on is here. */
  get complete(): boolean { return this.own.length > 0 && this.first <= 1; }
  /** The bounds of what must be read before live events can go on, both exclusive. */
  get hole(): { after: number; before: number } | undefined {
    return this.waiting.length ? { after: this.last, before: this.waiting[0].seq! } : undefined;
  }

  /** Live events, in the order in which they came. */
  live(events: AgentEvent[]): void {
    for (const e of events) {
      if (e.sessionId !== this.sessionId) continue;
      if (e.agentPath?.length) this.sub(e);
      else if (e.seq === undefined) apply(this.model, e);
      else if (this.own.length === 0 || e.seq === this.last + 1) {
        this.own.push(e);
        apply(this.model, e);
        this.unblock();
      } else if (e.seq > this.last) this.waiting.push(e);
    }
  }

  /** A page that follows what is here, or lies before it; what is known already is passed over. */
  page(events: AgentEvent[]): void {
    const before = events.filter((e) => e.seq !== undefined && this.own.length > 0 && e.seq < this.first);
    if (before.length) {
      this.own = [...before, ...this.own];
      this.again();
    }
    for (const e of events) {
      if (e.seq === undefined || (this.own.length > 0 && e.seq <= this.last)) continue;
      this.own.push(e);
      apply(this.model, e);
    }
    this.unblock();
  }

  /** The log of a sub-agent, whole or a part of it. */
  pageOf(events: AgentEvent[]): void {
    const touched = new Set<string>();
    for (const e of events) {
      const known = this.known(e);
      if (e.subSeq === undefined || known.has(e.subSeq)) continue;
      known.set(e.subSeq, e);
      touched.add(this.path(e));
    }
    for (const path of touched) this.subAgain(path);
  }

  /** Whether the log of a sub-agent is here from its first line. */
  hasAll(path: string[]): boolean {
    const known = this.subs.get(path.join('/'));
    if (!known?.has(1)) return false;
    return Math.max(...known.keys()) === known.size;
  }

  /** What the sidecar says is open, when the session is opened. */
  open(approvals: Approval[], questions: QuestionAsked[], queue: QueueItem[]): void {
    for (const a of approvals) this.model.approvals.set(a.approvalId, a);
    for (const q of questions) this.model.questions.set(q.questionId, q);
    this.model.queue = queue;
  }

  private path(e: AgentEvent) { return (e.agentPath ?? []).join('/'); }

  private known(e: AgentEvent): Map<number, AgentEvent> {
    const path = this.path(e);
    let known = this.subs.get(path);
    if (!known) this.subs.set(path, known = new Map());
    return known;
  }

  private sub(e: AgentEvent): void {
    if (!isDurable(e)) return apply(this.model, e);
    const known = this.known(e);
    if (known.has(e.subSeq!)) return;
    const inOrder = !known.size || e.subSeq! > Math.max(lastKey(known), 0);
    known.set(e.subSeq!, e);
    if (inOrder) apply(this.model, e);
    else this.subAgain(this.path(e));
  }

  private unblock(): void {
    this.waiting = this.waiting.filter((e) => e.seq! > this.last);
    while (this.waiting[0]?.seq === this.last + 1) {
      const e = this.waiting.shift()!;
      this.own.push(e);
      apply(this.model, e);
    }
  }

  /** Folds the session's own events again; what is not in the log is kept. */
  private again(): void {
    const old = this.model;
    const fresh = newModel(this.sessionId, old.generation);
    fresh.agents = old.agents;
    fresh.kept = old.kept;
    for (const e of this.own) apply(fresh, e);
    fresh.session = { ...fresh.session, ...old.session };
    Object.assign(fresh, { approvals: old.approvals, questions: old.questions, queue: old.queue, context: old.context, active: old.active, plan: old.plan.length ? old.plan : fresh.plan });
    keepLive(old.root, fresh.root);
    this.model = fresh;
  }

  private subAgain(path: string): void {
    const m = this.model;
    const old = new Map<string, Thread>();
    for (const [callId, threads] of m.agents) {
      m.agents.set(callId, threads.map((t) => {
        if (t.path.join('/') !== path) return t;
        old.set(t.key, t);
        return newThread(t.key, t.path);
      }));
    }
    const events = [...this.subs.get(path)!.values()].sort((a, b) => a.subSeq! - b.subSeq!);
    for (const e of events) apply(m, e);
    for (const [key, thread] of old) keepLive(thread, threadOf(m, thread.path, key.slice(key.lastIndexOf('@') + 1)));
    for (const a of m.approvals.values()) {
      if (a.agentPath?.join('/') === path) apply(m, { type: 'approval.requested', sessionId: m.sessionId, data: a } as AgentEvent);
    }
  }
}

const lastKey = (m: Map<number, unknown>) => { let last = 0; for (const k of m.keys()) last = k; return last; };

/** What only live events know: the open answer, notices, what a command has printed. */
function keepLive(old: Thread, fresh: Thread): void {
  fresh.run = old.run;
  fresh.writing = old.writing;
  const known = new Map(fresh.rows.map((r) => [r.key, r]));
  const behind = new Map<string, Row[]>();
  let at = '';
  for (const row of old.rows) {
    const now = known.get(row.key);
    if (now) {
      at = row.key;
      now.v = row.v + 1;
      if (now.kind === 'call') keepCall(row as CallRow, now);
    } else if (row.kind === 'notice' || (row.kind === 'answer' && row.open)) {
      behind.set(at, [...(behind.get(at) ?? []), row]);
      if (row.kind === 'answer') fresh.answers.set(row.messageId, row);
    }
  }
  if (behind.size) fresh.rows = [...(behind.get('') ?? []), ...fresh.rows.flatMap((r) => [r, ...(behind.get(r.key) ?? [])])];
}

function keepCall(was: CallRow, now: CallRow): void {
  now.output = was.output;
  now.outputCut = was.outputCut;
  if (was.diff !== undefined && now.diff === undefined) now.diff = was.diff;
}
