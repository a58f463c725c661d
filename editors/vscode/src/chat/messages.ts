// The only words that the chat page and the extension exchange. The page folds the
// events of one session into what it shows and talks the sidecar's own protocol; the
// extension relays what is on the list below and does what only an editor can.
import type { ModeName } from '../modes';
import type { AgentCapabilities, AgentEvent, Approval, ArtifactRef, ContentBlock, DocumentRange, Requests, Runner, Session } from '../protocol';

/** What the page may ask of the sidecar, with the members that relay.ts names. Everything else is refused by the extension. */
export const relayed = [
  'agent/run', 'agent/cancel', 'agent/approve', 'agent/answer', 'agent/approvals', 'agent/artifact', 'agent/events', 'agent/models', 'agent/queue',
  'agent/session/new', 'agent/session/list', 'agent/session/resume', 'agent/session/fork', 'agent/session/update',
  'agent/session/compact', 'agent/commands',
] as const satisfies readonly (keyof Requests)[];
export type Relayed = (typeof relayed)[number];

/** Where the person is: shown above the prompt box, and sent with a prompt unless taken away. */
export interface Whereabouts { uri: string; path: string; startLine: number; endLine: number; empty: boolean }

export type FromPage =
  | { type: 'ready'; version: number }
  | { type: 'request'; id: number; method: Relayed; params: unknown }
  /** Only the editor can do these. */
  | { type: 'do'; id: number; action: Action }
  /** What the session is called that is shown; '' where it has no name yet. */
  | { type: 'titled'; title: string }
  /** Kept over a reload of the window: which session, the draft, how far it was scrolled. */
  | { type: 'state'; state: PageState };

export type Action =
  | { do: 'open'; path: string; line?: number; endLine?: number }       // a citation, a file
  | { do: 'openLink'; href: string }                                     // http(s) only; the editor asks
  | { do: 'openArtifact'; artifact: Pick<ArtifactRef, 'artifactId' | 'uri'> }
  | { do: 'reviewDiff'; approval: Approval }
  | { do: 'acceptEdited'; approvalId: string; digest: string }           // as the person has changed it in its review
  | { do: 'openChange'; sessionId: string; path: string; runId?: string } // against its checkpoint
  | { do: 'undo'; sessionId: string; to: { callId?: string; runId?: string }; paths?: string[] }
  | { do: 'restore'; sessionId: string; seq: number }                   // to before a prompt, which is asked about first
  | { do: 'keep'; sessionId: string; runId: string; paths?: string[] }
  | { do: 'copy'; text: string }
  | { do: 'insert'; text: string }                                       // at the cursor of the active editor
  | { do: 'mention'; query: string }                                     // answers with what fits, as Mention
  | { do: 'attach'; what: Attached }                                     // answers with the blocks
  | { do: 'setMode'; sessionId: string; mode: ModeName }                 // asks before full access
  | { do: 'setAgent'; sessionId: string; agent: string }                 // one of the person's own
  | { do: 'askAgain' }                                                   // no command runs without a question any more
  | { do: 'rename' | 'delete' | 'export'; sessionId: string }            // ask first
  | { do: 'command'; command: string };                                  // one of the extension's own, by name

/** What the editor can hand over beside files. */
export const attachable = ['problems', 'changes', 'terminal'] as const;
export type Attached = (typeof attachable)[number];

/** What a person can name with `@`. */
export type Mention =
  | { kind: 'file' | 'folder'; path: string }
  | { kind: 'symbol'; name: string; path: string; uri: string; range: DocumentRange }
  | { kind: Attached };

export type ToPage =
  | { type: 'hello'; locale: string; strings: Record<string, string>; state?: PageState; sidecar: SidecarView }
  | { type: 'sidecar'; sidecar: SidecarView }
  | { type: 'events'; events: AgentEvent[] }                             // in order, some at once
  /** The session is followed: who has it, or null since nobody has, so that it can be taken over. */
  | { type: 'following'; sessionId: string; lockedBy: { pid: number } | null }
  | { type: 'show'; sessionId: string | null }                           // show that session; null: a new one
  | { type: 'whereabouts'; whereabouts: Whereabouts | null }
  | { type: 'compose'; text: string; blocks?: ContentBlock[]; send?: boolean }
  /** All that the person has changed in their reviews, of what they are asked about. */
  | { type: 'edited'; approvalIds: string[] }
  | { type: 'kept'; sessionId: string; runId: string; paths: string[] }
  | { type: 'focus'; what: 'prompt' | 'approvals' | 'sessions' }         // for a person who works with the keyboard
  | { type: 'answer'; id: number; result?: unknown; error?: { message: string; kind?: string; data?: unknown } };

/** model, mode: of new sessions; absent where none is set or known. runners: the machines that sessions can work on beside this one; absent where there are none. */
export interface SidecarView { state: string; runners?: readonly Runner[]; capabilities?: AgentCapabilities; trusted: boolean; model?: string; mode?: string; message?: string; sessions?: Session[] }

export interface PageState { sessionId: string | null; draft?: string }
