// What goes on in each session, folded from the events: enough for a status bar, a
// notification and for going on after a crash. The chat has its own, fuller fold.
import type { AgentEvent, ModelParams } from '../protocol';

export interface Following {
  title: string;
  mode: string;
  /** The mode before full access, which is lost with the process. */
  modeBefore: string;
  agent: string;
  model: string;
  /** How much the model may think, as the session says itself; '' where it says nothing. */
  effort: string;
  /** On whose machine it works; '' is this one. */
  runner: string;
  /** The run under way; absent: idle. */
  runId?: string;
  /** Runs whose prompt waits behind it. */
  queued: Set<string>;
  /** As in `run.state`. */
  state: string;
  detail: string;
  /** Open questions. */
  approvals: Set<string>;
}

interface About { id: string; title?: string; mode?: string; agent?: string; model?: string; runtimeMode?: string; runner?: string }

const effortOf = ({ reasoningEffort }: { reasoningEffort?: unknown }) => (typeof reasoningEffort === 'string' ? reasoningEffort : '');

const idle = (): Following => ({ title: '', mode: 'agent', modeBefore: 'agent', agent: '', model: '', effort: '', runner: '', state: '', detail: '', queued: new Set(), approvals: new Set() });

export class Sessions {
  private readonly all = new Map<string, Following>();

  get(id: string): Following | undefined {
    return this.all.get(id);
  }

  /** The sessions in which a run is under way. */
  running(): string[] {
    return [...this.all].filter(([, s]) => s.runId !== undefined).map(([id]) => id);
  }

  /** Something runs, or a prompt waits that would be lost with the process. */
  busy(): boolean {
    return [...this.all.values()].some((s) => s.runId !== undefined || s.queued.size > 0);
  }

  get approvals(): number {
    let n = 0;
    for (const s of this.all.values()) n += s.approvals.size;
    return n;
  }

  /** A process has ended: nothing runs, nothing waits, and full access is lost with it. */
  processEnded(): void {
    for (const s of this.all.values()) {
      s.runId = undefined;
      s.state = s.detail = '';
      s.mode = s.modeBefore;
      s.queued.clear();
      s.approvals.clear();
    }
  }

  /** What `agent/session/*` says of a session, which is all of it. */
  learn(session: About & { params?: ModelParams }): void {
    this.change(session);
    this.of(session.id).effort = effortOf(session.params ?? {});
  }

  private change(session: About): void {
    const s = this.of(session.id);
    s.title = session.title ?? s.title;
    s.mode = session.mode ?? s.mode;
    if (s.mode !== 'full_access') s.modeBefore = s.mode;
    s.agent = session.agent ?? s.agent;
    s.model = session.model ?? s.model;
    s.runner = session.runtimeMode === 'local' ? '' : session.runner ?? s.runner;
  }

  add(e: AgentEvent): void {
    // An event of another version may lack its data; nothing is to be read from it.
    const data = (e as unknown as { data?: Record<string, unknown> }).data ?? {};
    const word = (name: string) => (typeof data[name] === 'string' ? data[name] : undefined);
    const s = this.of(e.sessionId);
    if (e.type === 'approval.requested') s.approvals.add(word('approvalId') ?? '');
    if (e.type === 'approval.resolved') s.approvals.delete(word('approvalId') ?? '');
    if (e.type === 'question.asked') s.approvals.add(word('questionId') ?? '');
    if (e.type === 'question.answered') s.approvals.delete(word('questionId') ?? '');
    if (e.agentPath?.length) return;
    switch (e.type) {
      case 'session.opened':
      case 'session.changed':
        this.change({ id: e.sessionId, title: word('title'), mode: word('mode'), agent: word('agent'), model: word('model'), runtimeMode: word('runtimeMode'), runner: word('runner') });
        if (typeof data.params === 'object' && data.params !== null) s.effort = effortOf(data.params);
        break;
      case 'run.queued':
        if (e.runId !== undefined) s.queued.add(e.runId);
        break;
      case 'run.started':
        s.queued.delete(e.runId ?? '');
        s.runId = e.runId;
        s.state = 'thinking';
        s.detail = '';
        break;
      case 'run.state':
        s.state = word('state') ?? '';
        s.detail = word('detail') ?? '';
        break;
      case 'run.ended':
        s.queued.delete(e.runId ?? '');
        if (s.runId !== undefined && s.runId !== e.runId) break; // of a prompt that was taken out of the queue
        s.runId = undefined;
        s.state = word('stopReason') === 'error' ? 'error' : '';
        s.detail = '';
        break;
    }
  }

  private of(id: string): Following {
    let s = this.all.get(id);
    if (!s) this.all.set(id, (s = idle()));
    return s;
  }
}
