// What the settings page and the extension say to each other, and which keys of the
// configuration the page may write: those it shows, and no other.

/** Each has a switch of its own: off, the key is not in the user's file. */
export const overrides = [
  { key: 'systemPrompt.params.temperature', first: 1, min: 0, max: 2, step: 0.1, custom: true },
  { key: 'systemPrompt.params.topP', first: 1, min: 0, max: 1, step: 0.05, custom: true },
  { key: 'systemPrompt.params.maxTokens', first: 4096, min: 1, max: 10_000_000, step: 1, custom: true },
  { key: 'agents.runtime.limits.maxTurns', first: 200, min: 0, max: 1_000_000, step: 1, custom: false },
  { key: 'agents.runtime.limits.maxToolCalls', first: 60, min: 0, max: 1_000_000, step: 1, custom: false },
  { key: 'agents.runtime.limits.maxTokens', first: 0, min: 0, max: 1_000_000_000, step: 1, custom: false },
  { key: 'agents.runtime.subagents.parallel', first: 4, min: 1, max: 64, step: 1, custom: false },
] as const;

export const writable: readonly string[] = ['model', 'systemPrompt.mode', 'systemPrompt.text', 'agents.runtime.memory.enabled', ...overrides.map((o) => o.key)];

export interface Value { value: unknown; source: string }

/** A rule as the sidecar names it. */
export interface RuleName { domain: string; pattern: string; decision: string; source: string; index: number }

/** A rule in words. */
export interface RuleRow { rule: RuleName; stored: boolean; domain: string; decision: string; pattern: string; about: string; problem?: string }

/** What else is set up, of one kind. */
export interface SetUp { kind: 'servers' | 'hooks' | 'agents'; items: { name: string; state: string; about?: string; sign?: Sign }[] }

/** What a person can do about their sign-in to an MCP server. */
export interface Sign { op: 'signIn' | 'signOut'; server: string }

export interface Shown {
  values: Record<string, Value>;
  models: string[];
  /** What `systemPrompt.mode: "default"` sends. */
  defaultPrompt: string;
  problems: string[];
  rules: RuleRow[];
  setUp: SetUp[];
}

export type FromSettings =
  | { type: 'ready' }
  | { type: 'set'; id: number; key: string; value: unknown }
  | { type: 'reset'; id: number; key: string }
  | { type: 'removeRule'; id: number; rule: RuleName }
  | { type: 'sign'; id: number; sign: Sign }
  | { type: 'command'; command: SettingsCommand };

/** The buttons of the page. */
export const commands = ['setApiKey', 'useLocalServer', 'openConfiguration', 'openEditorSettings'] as const;
export type SettingsCommand = (typeof commands)[number];

export type ToSettings =
  | { type: 'show'; strings: Record<string, string>; shown: Shown; at?: 'rules' }
  | { type: 'unavailable'; strings: Record<string, string>; message: string }
  | { type: 'written'; id: number; error?: string; shown?: Shown };

/** A message of the page, or undefined: the page shows text of others, so it is not believed. */
export function understood(message: unknown): FromSettings | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const m = message as Record<string, unknown>;
  if (m.type === 'ready') return { type: 'ready' };
  if (m.type === 'command') return commands.includes(m.command as SettingsCommand) ? { type: 'command', command: m.command as SettingsCommand } : undefined;
  if (m.type === 'removeRule') {
    const rule = ruleName(m.rule);
    return rule && typeof m.id === 'number' ? { type: 'removeRule', id: m.id, rule } : undefined;
  }
  if (m.type === 'sign') {
    const { op, server } = (typeof m.sign === 'object' && m.sign !== null ? m.sign : {}) as Record<string, unknown>;
    return (op === 'signIn' || op === 'signOut') && typeof server === 'string' && typeof m.id === 'number' ? { type: 'sign', id: m.id, sign: { op, server } } : undefined;
  }
  if ((m.type !== 'set' && m.type !== 'reset') || typeof m.id !== 'number' || typeof m.key !== 'string' || !writable.includes(m.key)) return undefined;
  if (m.type === 'reset') return { type: 'reset', id: m.id, key: m.key };
  return ['string', 'number', 'boolean'].includes(typeof m.value) ? { type: 'set', id: m.id, key: m.key, value: m.value } : undefined;
}

function ruleName(rule: unknown): RuleName | undefined {
  if (typeof rule !== 'object' || rule === null) return undefined;
  const { domain, pattern, decision, source, index } = rule as Record<string, unknown>;
  if (typeof domain !== 'string' || typeof pattern !== 'string' || typeof decision !== 'string' || typeof source !== 'string' || typeof index !== 'number') return undefined;
  return { domain, pattern, decision, source, index };
}
