// Carries the page's requests to the sidecar and its answers back, and nothing else.
import type { Requests } from '../protocol';
import type { Sidecar } from '../sidecar/api';
import { failure, type Failure } from '../sidecar/failure';
import { plain } from '../text/plain';
import type { FromPage, Relayed, ToPage } from './messages';

export type Answer = Extract<ToPage, { type: 'answer' }>;
type Request = Extract<FromPage, { type: 'request' }>;

/** What happens around a request, before its answer reaches the page. */
export interface Around {
  /** Why the page may not ask this now, in words for a person. */
  held?(method: Relayed, params: unknown): string | undefined;
  /** It was answered. */
  done?(method: Relayed, params: unknown, result: unknown): void;
  /** It failed; the page learns of it when this has ended. */
  failed?(method: Relayed, params: unknown, error: Failure): Promise<void> | void;
}

/**
 * What the page may say with each request, letter by letter: the sidecar does not tell
 * `Confirm` from `confirm`, so what is not on this list is refused, not what is known to be
 * bad. There is no yes to full access in it, which a person says in a dialog of the editor,
 * no arguments that nobody was shown but the text of a plan, and no instructions for a run.
 */
const members: Record<Relayed, readonly string[]> = {
  'agent/run': ['sessionId', 'prompt', 'retry', 'delivery', 'context', 'clientMessageId'],
  'agent/cancel': ['sessionId', 'runId', 'agentId', 'callId'],
  'agent/approve': ['approvalId', 'digest', 'decision', 'always', 'feedback', 'interrupt', 'mode', 'editedInput'],
  'agent/answer': ['questionId', 'answers', 'dismiss'],
  'agent/approvals': ['sessionId'],
  'agent/artifact': ['sessionId', 'uri', 'offset', 'length'], // the pictures of a prompt
  'agent/events': ['sessionId', 'after', 'before', 'limit', 'maxBytes', 'types', 'agentPath'],
  'agent/models': ['model'], // what is known of one, not of whom else could be asked
  'agent/queue': ['sessionId', 'op', 'itemId', 'prompt'],
  'agent/session/new': ['agent', 'model', 'mode'], // which takes no full access
  'agent/session/list': ['query', 'cursor', 'limit'],
  'agent/session/resume': ['sessionId', 'continuePendingWork'],
  'agent/session/fork': ['sessionId', 'atSeq'],
  'agent/session/update': ['sessionId', 'model'],
  'agent/session/compact': ['sessionId'],
  'agent/commands': [],
};

/** The one thing that a person changes in the page; of other calls they look at the arguments elsewhere. */
const isPlan = (input: unknown) => input === undefined || (typeof input === 'object' && input !== null && Object.keys(input).join() === 'plan' && typeof (input as { plan: unknown }).plan === 'string');

/** Why the page may not ask this; undefined: it may. */
function withheld(method: Relayed, params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return 'no params';
  const more = Object.keys(params).find((name) => !members[method].includes(name));
  if (more !== undefined) return `the page cannot say ${more}`;
  const { digest, mode } = params as { digest?: unknown; mode?: unknown };
  if (mode === 'full_access') return 'full access is asked for in a dialog';
  if (method === 'agent/approve' && !isPlan((params as { editedInput?: unknown }).editedInput)) return 'only a plan is changed in the page';
  if (method === 'agent/approve' && (typeof digest !== 'string' || digest === '')) return 'an answer names what was shown';
  return undefined;
}

export async function relay(sidecar: Pick<Sidecar, 'request'>, m: Request, around: Around = {}): Promise<Answer> {
  const why = withheld(m.method, m.params);
  if (why !== undefined) return { type: 'answer', id: m.id, error: { message: plain(why), kind: 'refused' } };
  const held = around.held?.(m.method, m.params);
  if (held !== undefined) return { type: 'answer', id: m.id, error: { message: held, kind: 'held' } };
  try {
    const result = await sidecar.request(m.method, m.params as Requests[Relayed]['params']);
    around.done?.(m.method, m.params, result);
    return { type: 'answer', id: m.id, result };
  } catch (error) {
    const told = failure(error);
    await around.failed?.(m.method, m.params, told);
    return { type: 'answer', id: m.id, error: told };
  }
}
