// What the page says, decoded once. The page shows text of models and files, so what
// comes from it is believed as little as that: a message that is not exactly one of
// those of messages.ts is nothing.
import { modes } from '../modes';
import { attachable, relayed, type Action, type FromPage, type PageState } from './messages';

type Shape = Record<string, unknown>;
const isShape = (v: unknown): v is Shape => typeof v === 'object' && v !== null && !Array.isArray(v);
const isText = (v: unknown): v is string => typeof v === 'string';
const isId = (v: unknown): v is number => typeof v === 'number' && Number.isSafeInteger(v);
const isPaths = (v: unknown) => v === undefined || (Array.isArray(v) && v.every(isText));
/** Of any size: a text may name a line that no file has. */
const isLine = (v: unknown) => v === undefined || (Number.isInteger(v) && (v as number) > 0);
const isOptionalText = (v: unknown) => v === undefined || isText(v);

/** What the members of each action have to be. An action that is not here is not done. */
const actions: Record<Action['do'], (a: Shape) => boolean> = {
  open: (a) => isText(a.path) && isLine(a.line) && isLine(a.endLine),
  openLink: (a) => isText(a.href),
  openArtifact: (a) => isShape(a.artifact) && isText(a.artifact.artifactId) && isText(a.artifact.uri),
  reviewDiff: (a) => isShape(a.approval) && isText(a.approval.approvalId),
  acceptEdited: (a) => isText(a.approvalId) && isText(a.digest) && a.digest !== '',
  openChange: (a) => isText(a.sessionId) && isText(a.path) && isOptionalText(a.runId),
  undo: (a) => isText(a.sessionId) && isShape(a.to) && (isText(a.to.callId) !== isText(a.to.runId)) && isPaths(a.paths),
  restore: (a) => isText(a.sessionId) && isId(a.seq) && (a.seq as number) > 0,
  keep: (a) => isText(a.sessionId) && isText(a.runId) && isPaths(a.paths),
  copy: (a) => isText(a.text),
  insert: (a) => isText(a.text),
  mention: (a) => isText(a.query),
  attach: (a) => (attachable as readonly unknown[]).includes(a.what),
  setMode: (a) => isText(a.sessionId) && (modes as readonly unknown[]).includes(a.mode),
  setAgent: (a) => isText(a.sessionId) && isText(a.agent) && a.agent !== '',
  askAgain: () => true,
  rename: (a) => isText(a.sessionId),
  delete: (a) => isText(a.sessionId),
  export: (a) => isText(a.sessionId),
  command: (a) => isText(a.command),
};

/** A draft is kept by the editor with the workspace; it is no place for a whole file. */
const mostDraft = 64 * 1024;

/** The state as it was kept, or as the page sends it; what does not fit is left out. */
export function pageState(v: unknown): PageState | undefined {
  if (!isShape(v) || !(v.sessionId === null || isText(v.sessionId))) return undefined;
  const state: PageState = { sessionId: v.sessionId };
  if (isText(v.draft) && v.draft !== '') state.draft = v.draft.slice(0, mostDraft);
  return state;
}

export function fromPage(v: unknown): FromPage | undefined {
  if (!isShape(v)) return undefined;
  switch (v.type) {
    case 'ready':
      return isId(v.version) ? { type: 'ready', version: v.version } : undefined;
    case 'request':
      if (!isId(v.id) || !isText(v.method) || !(relayed as readonly string[]).includes(v.method)) return undefined;
      return { type: 'request', id: v.id, method: v.method as (typeof relayed)[number], params: v.params };
    case 'do': {
      if (!isId(v.id) || !isShape(v.action) || !isText(v.action.do)) return undefined;
      if (!Object.hasOwn(actions, v.action.do) || !actions[v.action.do as Action['do']](v.action)) return undefined;
      return { type: 'do', id: v.id, action: v.action as Action };
    }
    case 'titled':
      return isText(v.title) ? { type: 'titled', title: v.title } : undefined;
    case 'state': {
      const state = pageState(v.state);
      return state && { type: 'state', state };
    }
  }
  return undefined;
}

/** The id that an answer to this message needs, where there is one: also of a message that is refused. */
export function idOf(v: unknown): number | undefined {
  return isShape(v) && (v.type === 'request' || v.type === 'do') && isId(v.id) ? v.id : undefined;
}
