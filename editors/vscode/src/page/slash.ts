// Commands in a prompt: /name. The sidecar knows which there are and puts their text in the
// place; what is no prompt is done here.
import type { ContentBlock } from '../protocol';

export interface Command { name: string; description: string }

/** The name of a command that is written at the cursor, at the beginning of the prompt. */
export function commandAt(text: string, cursor: number): string | undefined {
  return /^\/([\w-]*)$/.exec(text.slice(0, cursor))?.[1];
}

/** Those that begin with what is written, of an answer to agent/commands. */
export function commandsOf(answer: unknown, query: string): Command[] {
  const list = (answer as { commands?: unknown } | undefined)?.commands;
  if (!Array.isArray(list)) return [];
  return list.filter((c): c is Command => typeof c?.name === 'string' && typeof c?.description === 'string' && c.name.startsWith(query));
}

/** A prompt that begins with a command, in parts. */
export function commandIn(blocks: ContentBlock[]): { name: string; args: string } | undefined {
  const found = /^\/([\w-]+)\s*([^]*)$/.exec(blocks[0]?.text ?? '');
  return found ? { name: found[1], args: found[2].trim() } : undefined;
}

/** A prompt as its person wrote it: what was typed stands in the place of what a command made of it. */
export function typedIn(data: { prompt?: ContentBlock[]; typed?: string }): ContentBlock[] {
  const blocks = data.prompt ?? [];
  const first = data.typed ? blocks.findIndex((b) => b.type === 'text') : -1;
  return first < 0 ? blocks : blocks.map((b, i) => (i === first ? { ...b, text: data.typed } : b));
}
