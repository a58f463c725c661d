// What the page knows of one session: rows in the order in which they happened, and
// beside them what is open now. Nothing here knows of the screen.
import type { AgentEvent, Approval, ArtifactRef, ContentBlock, Context, FileChange, QuestionAsked, QueueItem, Session, Usage } from '../../protocol';

interface Base {
  /** Names the row for good, also when the log is folded again. */
  key: string;
  /** Rises with every change, so that the screen knows what to draw again. */
  v: number;
  seq?: number;
  runId?: string;
}

export interface PromptRow extends Base {
  kind: 'prompt';
  blocks: ContentBlock[];
  steering: boolean;
  /** The sidecar's own words. */
  synthetic: boolean;
  /** The prompt of a run can be edited and sent again. */
  starts: boolean;
}

export interface AnswerRow extends Base {
  kind: 'answer';
  messageId: string;
  text: string;
  reasoning: string;
  /** More may come. */
  open: boolean;
  /** Text was left out on the way; the whole message mends it. */
  gap: boolean;
  artifact?: ArtifactRef;
}

export type CallState = 'requested' | 'waiting' | 'running' | 'completed' | 'failed' | 'rejected' | 'cancelled' | 'interrupted';

export interface CallRow extends Base {
  kind: 'call';
  callId: string;
  tool: string;
  title: string;
  input: unknown;
  state: CallState;
  /** What the model sees of the result. */
  text: string;
  /** The end of what a command has printed so far. */
  output: string;
  outputCut: boolean;
  /** How much it has printed so far, in characters. */
  printed: number;
  /** When it began to run, as the log has it. */
  begun?: string;
  truncated: boolean;
  artifact?: ArtifactRef;
  exitCode?: number;
  durationMs?: number;
  /** How much of its time nobody worked for it: the way to a runner and back. */
  wayMs?: number;
  changes: FileChange[];
  /** What its result showed, by the names that the log has for them. */
  images: string[];
  decided?: { decision: string; by: string; answer?: string };
  feedback?: string;
  /** What the person was shown before it ran, if it was a diff. */
  diff?: string;
  pruned: boolean;
  agent?: { name: string; prompt: string; path: string; status?: string; calls?: number; citations?: { ok: number; bad: number } };
}

export interface EndRow extends Base {
  kind: 'end';
  stopReason: string;
  error?: { kind: string; message: string; detail?: string };
  message?: string;
  changes: FileChange[];
  /** What it has cost; absent where nothing was asked. */
  usage?: Pick<Usage, 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'cost'>;
}

export interface MarkRow extends Base {
  kind: 'mark';
  mark: 'compacting' | 'compacted' | 'not_compacted' | 'pruned' | 'switched' | 'loop' | 'memory' | 'gap' | 'continued' | 'retried' | 'mode' | 'asking' | 'away' | 'here' | 'unknown';
  values: (string | number)[];
  /** A text that can be unfolded: the summary. */
  detail?: string;
}

export interface NoticeRow extends Base {
  kind: 'notice';
  severity: string;
  title: string;
  /** Which notice it is, where one can do something about it. */
  about?: string;
}

export type Row = PromptRow | AnswerRow | CallRow | EndRow | MarkRow | NoticeRow;

/** The rows of the session itself, or of one sending of a sub-agent. */
export interface Thread {
  key: string;
  path: string[];
  rows: Row[];
  calls: Map<string, CallRow>;
  answers: Map<string, AnswerRow>;
  /** Arguments that are being written: the tool and how much came. */
  writing: Map<string, { tool: string; bytes: number }>;
  run?: RunState;
}

export interface RunState { state: string; detail?: string; attempt?: number; inMs?: number; runId?: string }
export interface PlanItem { id: string; text: string; status: string }

export interface Model {
  /** Of the reading of the log that it was made from: rows of another one are other rows. */
  generation: number;
  sessionId: string;
  session: Partial<Session>;
  root: Thread;
  /** By the call that sent them, in the order of their beginning. */
  agents: Map<string, Thread[]>;
  approvals: Map<string, Approval>;
  /** What the model asks. */
  questions: Map<string, QuestionAsked>;
  queue: QueueItem[];
  plan: PlanItem[];
  context?: Context;
  /** runId of what works now, by the log; '?' where only the sidecar has said that something does. */
  active?: string;
  /** Paths that an undo has brought back, by the run whose change it was. */
  undone: Map<string, Set<string>>;
  kept: Map<string, Set<string>>;
}

export const newThread = (key: string, path: string[]): Thread => ({ key, path, rows: [], calls: new Map(), answers: new Map(), writing: new Map() });

export const newModel = (sessionId: string, generation = 0): Model => ({
  generation,  sessionId, session: {}, root: newThread('', []), agents: new Map(), approvals: new Map(), questions: new Map(), queue: [], plan: [], undone: new Map(), kept: new Map(),
});

export type { AgentEvent };

/** Nothing was asked yet: at most a mode or a machine was chosen, which the head shows. */
export const untouched = (m: Model) => m.root.rows.every((r) => r.kind === 'mark' && ['mode', 'asking', 'away', 'here'].includes(r.mark));
