// The fold: an event and what was known before it give what is known after it. It
// touches nothing but the model, and the same events give the same rows whether they
// came live or were read from the log.
import { modeOf } from '../../modes';
import type { AgentEvent, Approval, FileChange } from '../../protocol';
import { typedIn } from '../slash';
import { newThread, type AnswerRow, type CallRow, type Model, type Row, type Thread } from './model';

/** Of what a command prints, as much is kept as the sidecar keeps. */
const outputKept = 64 * 1024;

export const isDurable = (e: AgentEvent) => e.seq !== undefined || e.subSeq !== undefined;

/** The thread of a sub-agent's event: its name and the call that sent it. */
export function threadOf(m: Model, path: string[] | undefined, callId: string | undefined): Thread {
  if (!path?.length) return m.root;
  const call = callId ?? '';
  const key = `${path.join('/')}@${call}`;
  const there = m.agents.get(call) ?? [];
  let thread = there.find((t) => t.key === key);
  if (!thread) {
    thread = newThread(key, path);
    m.agents.set(call, [...there, thread]);
    touchCall(m, call);
  }
  return thread;
}

export function apply(m: Model, e: AgentEvent): void {
  const t = threadOf(m, e.agentPath, e.parentCallId);
  const root = t === m.root;
  switch (e.type) {
    case 'session.opened':
      if (root) Object.assign(m.session, { title: e.data.title ?? m.session.title, agent: e.data.agent, mode: m.session.mode ?? e.data.mode, model: m.session.model ?? e.data.model, parent: e.data.parent ?? m.session.parent });
      return;
    case 'session.changed':
      if (!root) return;
      for (const k of ['title', 'mode', 'agent', 'model', 'compactionCount', 'params'] as const) {
        if (e.data[k] !== undefined && e.data[k] !== null) Object.assign(m.session, { [k]: e.data[k] });
      }
      if (e.data.mode === 'full_access') mark(t, e, 'mode', [e.data.mode]);
      else if (e.data.mode) mark(t, e, 'asking', [modeOf(m.session) ?? m.session.agent ?? '']);
      if (typeof e.data.runner !== 'string') return;
      m.session.runner = e.data.runner;
      mark(t, e, e.data.runner ? 'away' : 'here', e.data.runner ? [e.data.runner] : []);
      return;
    case 'run.queued':
      if (!root) return;
      m.queue = [...m.queue.filter((q) => q.itemId !== e.data.itemId), { itemId: e.data.itemId, runId: e.runId ?? '', prompt: typedIn(e.data), clientMessageId: e.data.clientMessageId ?? '', createdAt: e.time ?? '' }]
        .sort((a, b) => place(m, a.itemId) - place(m, b.itemId));
      return;
    case 'run.started':
      if (root) {
        m.queue = m.queue.filter((q) => q.runId !== e.runId);
        m.active = e.runId;
      }
      if (e.data.kind === 'compaction') mark(t, e, 'compacting', []);
      else if (e.data.kind === 'continuation') mark(t, e, endedBadly(t) ? 'retried' : 'continued', []);
      else push(t, { kind: 'prompt', key: `p${place_(e)}`, v: 0, seq: e.seq, runId: e.runId, blocks: typedIn(e.data), steering: false, synthetic: !root, starts: root });
      return;
    case 'run.ended':
      return ended(m, t, e.runId, () => push(t, {
        kind: 'end', key: `e${place_(e)}`, v: 0, seq: e.seq, runId: e.runId, stopReason: e.data.stopReason,
        error: e.data.error ?? undefined, message: e.data.message, changes: e.data.changes ?? [],
        ...(e.data.usage?.inputTokens ? { usage: e.data.usage } : {}),
      }), e.data.stopReason, root);
    case 'message.user':
      if (e.data.ignored) return;
      push(t, { kind: 'prompt', key: `u${place_(e)}`, v: 0, seq: e.seq, runId: e.runId, blocks: e.data.content ?? [], steering: !!e.data.steering, synthetic: !!e.data.synthetic, starts: false });
      return;
    case 'message.delta':
    case 'reasoning.delta': {
      const row = answer(t, e.data.messageId, e);
      if (!row.open) return; // a piece that came behind the whole
      if (e.type === 'message.delta') row.text += e.data.text;
      else row.reasoning += e.data.text;
      row.v++;
      return;
    }
    case 'message.assistant': {
      t.writing.clear();
      const d = e.data;
      if (!d.text && !d.reasoning && !t.answers.has(d.messageId)) return;
      const row = answer(t, d.messageId, e);
      Object.assign(row, { text: d.text ?? '', reasoning: d.reasoning ?? '', open: false, gap: false, artifact: d.artifact ?? undefined, seq: e.seq });
      if (!row.text && !row.reasoning) drop(t, row);
      row.v++;
      return;
    }
    case 'tool.input': {
      const w = t.writing.get(e.data.callId) ?? { tool: '', bytes: 0 };
      t.writing.set(e.data.callId, { tool: e.data.tool || w.tool, bytes: w.bytes + e.data.text.length });
      return;
    }
    case 'tool.requested': {
      const c = call(t, e.data.callId, e);
      Object.assign(c, { tool: e.data.tool, input: e.data.input, title: e.data.title ?? '' });
      c.v++;
      return;
    }
    case 'tool.decided': {
      const c = call(t, e.data.callId, e);
      c.decided = { decision: e.data.decision, by: e.data.by, answer: e.data.answer };
      if (e.data.input !== undefined && e.data.input !== null) c.input = e.data.input;
      if (e.data.decision === 'allow' && c.state !== 'completed') Object.assign(c, { state: 'running', begun: e.time });
      c.v++;
      return;
    }
    case 'tool.output': {
      const c = call(t, e.data.callId, e);
      c.output += e.data.text;
      c.printed += e.data.text.length;
      if (c.output.length > outputKept) {
        c.output = c.output.slice(-outputKept);
        c.outputCut = true;
      }
      c.v++;
      return;
    }
    case 'tool.returned': {
      const d = e.data;
      const c = call(t, d.callId, e);
      Object.assign(c, {
        tool: d.tool || c.tool, state: d.status as CallRow['state'], text: d.text ?? '', truncated: !!d.truncated, artifact: d.artifact ?? undefined,
        changes: d.changes ?? [], exitCode: d.exitCode ?? undefined, durationMs: d.durationMs, wayMs: d.wayMs ?? undefined, images: (d.images ?? []).map((i) => i.blob), printed: 0,
      });
      c.v++;
      return;
    }
    case 'approval.requested':
      return asked(m, e.data);
    case 'approval.resolved':
      return resolved(m, e.data);
    case 'question.asked':
      m.questions.set(e.data.questionId, e.data);
      return waits(m, e.data.callId, true);
    case 'question.answered':
      m.questions.delete(e.data.questionId);
      return waits(m, e.data.callId, false);
    case 'subagent.started': {
      const c = call(t, e.data.callId, e);
      c.agent = { name: e.data.agent, prompt: e.data.prompt, path: e.data.path };
      if (!c.tool) Object.assign(c, { tool: 'task', state: 'running' });
      threadOf(m, [e.data.path], e.data.callId);
      c.v++;
      return;
    }
    case 'subagent.ended': {
      const c = call(t, e.data.callId, e);
      c.agent = { name: '', prompt: '', ...c.agent, path: e.data.path, status: e.data.status, calls: e.data.calls, citations: e.data.citations ?? undefined };
      if (c.state === 'running' && c.input === undefined) c.state = e.data.status as CallRow['state']; // sent by a person: no result follows
      for (const s of m.agents.get(e.data.callId) ?? []) close(s);
      c.v++;
      return;
    }
    case 'plan.updated':
      if (root) m.plan = e.data.items ?? [];
      return;
    case 'file.changed':
      if (/^undo#\d+$/.test(e.data.callId)) undone(m, e.data.path);
      return;
    case 'context.pruned':
      for (const id of e.data.callIds ?? []) {
        const c = t.calls.get(id);
        const cut = e.data.texts?.[id] !== undefined; // the model still sees a part of it
        if (c) Object.assign(c, { ...(cut ? { truncated: true } : { pruned: true }), v: c.v + 1, artifact: c.artifact ?? e.data.artifacts?.[id] });
      }
      if (!e.data.texts) mark(t, e, 'pruned', [(e.data.callIds ?? []).length, e.data.tokens]);
      return;
    case 'context.compacted':
      mark(t, e, e.data.ok ? 'compacted' : 'not_compacted', e.data.ok ? [e.data.before, e.data.after] : [e.data.reason ?? ''], e.data.ok ? e.data.summary : undefined);
      return;
    case 'memory.flushed':
      mark(t, e, 'memory', [(e.data.paths ?? []).join(', ')]);
      return;
    case 'model.switched':
      mark(t, e, 'switched', [e.data.from, e.data.to, e.data.reason]);
      return;
    case 'loop.detected':
      mark(t, e, 'loop', [e.data.tool, e.data.count]);
      return;
    case 'run.state':
      t.run = { ...e.data, runId: e.runId };
      return;
    case 'usage':
      if (root) m.context = e.data.context;
      return;
    case 'notice':
      if (e.data.kind === 'message_reset' && e.data.messageId) {
        const row = t.answers.get(e.data.messageId);
        if (row?.open) drop(t, row);
        t.writing.clear();
      }
      push(t, { kind: 'notice', key: `n${t.rows.length}@${e.afterSeq ?? e.seq ?? 0}`, v: 0, runId: e.runId, severity: e.data.severity, title: e.data.title, about: e.data.kind });
      return;
    case 'gap': {
      const last = t.rows.at(-1);
      if (last?.kind === 'answer' && last.open) Object.assign(last, { gap: true, v: last.v + 1 });
      else if (last?.kind === 'call') Object.assign(last, { outputCut: true, v: last.v + 1 });
      return;
    }
    default: { // of another version of the protocol: shown by its name
      const other = e as AgentEvent;
      if (other.seq !== undefined) mark(t, other, 'unknown', [other.type]);
    }
  }
}

/** What was last asked failed, was refused or was stopped: a continuation is another try of it. */
const endedBadly = (t: Thread) => {
  const end = t.rows.findLast((r) => r.kind === 'end');
  return end?.kind === 'end' && retried.has(end.stopReason);
};
/** A run that ended so can be tried again, with the same prompt. */
export const retried: ReadonlySet<string> = new Set(['error', 'cancelled']);

const place_ = (e: AgentEvent) => e.seq ?? e.subSeq ?? `?${e.afterSeq ?? 0}`;
const place = (m: Model, itemId: string) => { const i = m.queue.findIndex((q) => q.itemId === itemId); return i < 0 ? Infinity : i; };

function push(t: Thread, row: Row) {
  row.key = `${t.key}/${row.key}`;
  t.rows.push(row);
}

function drop(t: Thread, row: AnswerRow) {
  t.answers.delete(row.messageId);
  const i = t.rows.lastIndexOf(row);
  if (i >= 0) t.rows.splice(i, 1);
}

function mark(t: Thread, e: AgentEvent, kind: Extract<Row, { kind: 'mark' }>['mark'], values: (string | number)[], detail?: string) {
  push(t, { kind: 'mark', key: `k${place_(e)}`, v: 0, seq: e.seq, runId: e.runId, mark: kind, values, detail });
}

function answer(t: Thread, messageId: string, e: AgentEvent): AnswerRow {
  let row = t.answers.get(messageId);
  if (!row) {
    row = { kind: 'answer', key: `m${messageId}`, v: 0, runId: e.runId, messageId, text: '', reasoning: '', open: true, gap: false };
    t.answers.set(messageId, row);
    push(t, row);
  }
  return row;
}

function call(t: Thread, callId: string, e: AgentEvent): CallRow {
  let row = t.calls.get(callId);
  if (!row) {
    row = {
      kind: 'call', key: `c${callId}`, v: 0, seq: e.seq, runId: e.runId, callId, tool: '', title: '', input: undefined, state: 'requested', text: '',
      output: '', outputCut: false, printed: 0, truncated: false, changes: [], images: [], pruned: false,
    };
    t.calls.set(callId, row);
    push(t, row);
  }
  return row;
}

function touchCall(m: Model, callId: string) {
  const c = m.root.calls.get(callId);
  if (c) c.v++;
}

/** The call that a question is about; questions of sub-agents stand in the root's log. */
function callOf(m: Model, a: { callId: string; agentPath?: string[] | null }): CallRow | undefined {
  if (!a.agentPath?.length) return m.root.calls.get(a.callId);
  for (const threads of m.agents.values()) {
    for (const t of threads) if (t.path.join('/') === a.agentPath.join('/') && t.calls.has(a.callId)) return t.calls.get(a.callId);
  }
  return undefined;
}

function asked(m: Model, a: Approval) {
  m.approvals.set(a.approvalId, a);
  const c = callOf(m, a);
  if (!c) return;
  c.state = 'waiting';
  if (a.preview?.kind === 'diff') c.diff = a.preview.text;
  c.v++;
}

/** A call waits for the person's words, or goes on. */
function waits(m: Model, callId: string, now: boolean) {
  const c = callOf(m, { callId });
  if (!c) return;
  if (now) c.state = 'waiting';
  else if (c.state === 'waiting') c.state = 'running';
  c.v++;
}

function resolved(m: Model, r: { approvalId: string; callId: string; decision: string; feedback?: string }) {
  const a = m.approvals.get(r.approvalId);
  m.approvals.delete(r.approvalId);
  const c = callOf(m, { callId: r.callId, agentPath: a?.agentPath });
  if (!c) return;
  if (c.state === 'waiting') c.state = 'requested';
  if (r.feedback) c.feedback = r.feedback;
  c.v++;
}

function close(t: Thread) {
  t.writing.clear();
  for (const row of t.rows) {
    if (row.kind === 'answer' && row.open) Object.assign(row, { open: false, v: row.v + 1 });
  }
}

function ended(m: Model, t: Thread, runId: string | undefined, add: () => void, stopReason: string, root: boolean) {
  if (root && m.active !== undefined && m.active !== '?' && m.active !== runId) {
    m.queue = m.queue.filter((q) => q.runId !== runId); // it never began, and what runs goes on
    return;
  }
  close(t);
  t.run = { state: stopReason === 'error' ? 'error' : 'finished', runId };
  if (!root) return;
  const waited = m.queue.some((q) => q.runId === runId); // it never began
  if (m.active === runId || m.active === '?') m.active = undefined;
  m.queue = m.queue.filter((q) => q.runId !== runId);
  for (const a of m.approvals.values()) if (a.runId && a.runId === runId) m.approvals.delete(a.approvalId);
  if (!waited) add();
}

/** An undo gives back the last change of a path that was not given back before. */
function undone(m: Model, path: string) {
  for (let i = m.root.rows.length - 1; i >= 0; i--) {
    const row = m.root.rows[i];
    if (row.kind !== 'end' || !row.runId || !row.changes.some((c) => c.path === path)) continue;
    const back = m.undone.get(row.runId) ?? new Set<string>();
    if (back.has(path)) continue;
    m.undone.set(row.runId, back.add(path));
    row.v++;
    return;
  }
}

/** One entry for each file of a run, however often it was changed. */
export function byFile(changes: FileChange[]): FileChange[] {
  const files = new Map<string, FileChange>();
  for (const c of changes) {
    const known = files.get(c.path) ?? (c.from ? files.get(c.from) : undefined);
    if (!known) { files.set(c.path, { ...c }); continue; }
    files.delete(known.path);
    files.set(c.path, { ...known, path: c.path, uri: c.uri, kind: known.kind === 'created' && c.kind !== 'deleted' ? 'created' : c.kind, additions: known.additions + c.additions, deletions: known.deletions + c.deletions });
  }
  return [...files.values()];
}
