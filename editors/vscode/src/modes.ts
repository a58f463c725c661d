// What a person chooses from: one of four modes, or an agent of their own. A session keeps that as a mode and an agent; here the
// one is made of the other. The editor and the page of the chat both show it.
import type { AgentInfo, Mode } from './protocol';

/** The four, as they are offered. */
export const modes = ['ask', 'edit', 'plan', 'full_access'] as const;
export type ModeName = (typeof modes)[number];

/** What a session is told; a mode of null is that of new sessions. */
export interface ModeChange { mode?: Mode | null; agent?: string }

/** The agents behind the four. The others are a person's own. */
const builder = 'build', planner = 'plan';

const changes: Record<ModeName, { mode: Mode; agent: string }> = {
  ask: { mode: 'ask', agent: builder },
  edit: { mode: 'agent', agent: builder },
  plan: { mode: 'agent', agent: planner },
  full_access: { mode: 'full_access', agent: builder },
};

const plainModes: Record<string, ModeName> = { ask: 'ask', agent: 'edit', full_access: 'full_access' };

/** Which of the four a session is in; undefined: it works with an agent of the person's own. */
export function modeOf({ mode, agent }: { mode?: string; agent?: string }): ModeName | undefined {
  const of = modeAlone(mode);
  if (of === 'full_access') return of;
  if (agent === planner) return 'plan';
  return agent === undefined || agent === '' || agent === builder ? of : undefined;
}

/** Without the agent. A mode that is not known asks, as the sidecar does; none that is said is the one that sessions begin with. */
export function modeAlone(mode: string | undefined): 'ask' | 'edit' | 'full_access' {
  const known = Object.hasOwn(plainModes, mode || 'agent') ? plainModes[mode || 'agent'] : 'ask';
  return known as 'ask' | 'edit' | 'full_access';
}

/** What makes a session one of the four. */
export const changeTo = (name: ModeName) => changes[name];

/** What gives a session an own agent: it asks as before, and full access is not kept for it. */
export const changeToAgent = (agent: string, mode: string | undefined): ModeChange => ({ agent, ...(mode === 'full_access' && { mode: null }) });

export const ownAgents = (agents: readonly AgentInfo[]): AgentInfo[] => agents.filter((a) => a.mode === 'primary' && a.name !== builder && a.name !== planner);
