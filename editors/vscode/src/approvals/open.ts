// The questions that are open now. The sidecar has them; this follows its events, so that
// the badge, the notification and the list know without asking.
import type { AgentEvent, Approval } from '../protocol';

export class Open {
  private readonly items = new Map<string, Approval>();
  private listeners: ((added: readonly Approval[], gone: readonly string[]) => void)[] = [];
  /** Resolved while a list was on its way: the list may still have them. */
  private resolved = new Set<string>();

  /** Oldest first. */
  list(): Approval[] {
    return [...this.items.values()];
  }

  get(approvalId: string): Approval | undefined {
    return this.items.get(approvalId);
  }

  onChange(told: (added: readonly Approval[], gone: readonly string[]) => void): { dispose(): void } {
    this.listeners.push(told);
    return { dispose: () => { this.listeners = this.listeners.filter((l) => l !== told); } };
  }

  event(e: AgentEvent): void {
    if (e.type === 'approval.requested') this.change([e.data as Approval], []);
    else if (e.type === 'approval.resolved') {
      this.resolved.add(e.data.approvalId);
      this.change([], [e.data.approvalId]);
    }
  }

  /** Takes the sidecar's whole list in the place of what was known. */
  async load(list: () => Promise<{ items: Approval[] }>): Promise<void> {
    this.resolved.clear();
    const known = new Set(this.items.keys());
    const { items } = await list();
    const listed = new Set(items.map((a) => a.approvalId));
    // What was asked while the list was on its way is not in it, and stays.
    this.change(items.filter((a) => !this.resolved.has(a.approvalId)), [...known].filter((id) => !listed.has(id)));
    this.resolved.clear();
  }

  /** No process, no questions. */
  clear(): void {
    this.change([], [...this.items.keys()]);
  }

  private change(added: Approval[], gone: string[]): void {
    const new_ = added.filter((a) => !this.items.has(a.approvalId));
    const left = gone.filter((id) => this.items.delete(id));
    for (const a of new_) this.items.set(a.approvalId, a);
    if (new_.length > 0 || left.length > 0) for (const told of [...this.listeners]) told(new_, left);
  }
}

/** The question that the arguments of a command name: an object, one as JSON, or the id by itself. */
export function askedFor(args: readonly unknown[]): string | undefined {
  let first = args[0];
  if (typeof first === 'string' && first.startsWith('{')) {
    try {
      first = JSON.parse(first);
    } catch {
      return undefined;
    }
  }
  if (typeof first === 'string') return first;
  const id = (first as { approvalId?: unknown } | null | undefined)?.approvalId;
  return typeof id === 'string' ? id : undefined;
}
