// The tools that other extensions offer to language models (vscode.lm), for the sidecar (agent/client/tool). Only those are declared
// that the person has chosen; each call is judged by the sidecar before it comes here.
import { createHash } from 'node:crypto';
import type { ClientToolParams, ClientToolResult } from '../protocol';

/** What is known of a tool; the editor's own type has more. */
export interface Tool { readonly name: string; readonly description: string; readonly inputSchema: object | undefined }

/** A tool as it is declared to the sidecar. */
export interface HostTool { name: string; description: string; inputSchema: object }

/** The tools that are declared, by the name that the sidecar knows them by. */
export type Declared = ReadonlyMap<string, { tool: Tool; as: HostTool }>;

/** Runs a tool of the editor. Parts of a result: a text, or the name of what it is instead. */
export type Invoke = (name: string, input: object) => Promise<readonly (string | { type: string })[]>;

const longestName = 40; // what the sidecar takes
const longestDescription = 4096; // bytes
const longestText = 1 << 20; // characters of a whole result; the model gets less, and the file of an output need not be larger

/** Tools of this extension would ask the agent to ask itself. */
const own = /^agent-?sidecar/i;

/** Those that can be chosen, by name. A fork of the editor may list none. */
export function choosable(listed: readonly Tool[]): Tool[] {
  return listed.filter((tool) => tool.name && !own.test(tool.name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a name, or a pattern with `*`, means a tool. */
export function means(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}

/** What the setting says; anything but a list of texts chooses nothing. */
export function patternsOf(setting: unknown): string[] {
  return Array.isArray(setting) ? setting.filter((one): one is string => typeof one === 'string' && one.trim() !== '').map((one) => one.trim()) : [];
}

/** The setting after a choice: what says more than the list, such as a tool of an extension that is switched off, is kept. */
export function chosen(before: readonly string[], listed: readonly Tool[], picked: readonly string[]): string[] {
  const kept = before.filter((pattern) => listed.filter((tool) => means(pattern, tool.name)).every((tool) => picked.includes(tool.name)));
  return [...kept, ...picked.filter((name) => !kept.some((pattern) => means(pattern, name)))];
}

/** Those that were chosen and are there. */
export function declared(listed: readonly Tool[], patterns: readonly string[]): Declared {
  const found = new Map<string, { tool: Tool; as: HostTool }>();
  for (const tool of choosable(listed)) {
    if (!patterns.some((pattern) => means(pattern, tool.name))) continue;
    const name = nameOf(tool.name);
    found.set(name, { tool, as: { name, description: description(tool), inputSchema: { type: 'object', ...tool.inputSchema } } });
  }
  return found;
}

/** Has a tool work. A name that was not declared is refused, whoever asks. */
export async function call(found: Declared, invoke: Invoke, { name, input }: ClientToolParams): Promise<ClientToolResult> {
  const one = found.get(name);
  if (!one) throw new Error(`no tool ${name} was offered`);
  const content: ClientToolResult['content'] = [];
  let left = longestText;
  for (const part of await invoke(one.tool.name, input as object)) {
    if (typeof part !== 'string') {
      content.push({ type: part.type, text: '' });
      continue;
    }
    if (part.length > left) {
      content.push({ type: 'text', text: `${part.slice(0, left)}\n[the tool gave more, which was cut off]` });
      break;
    }
    left -= part.length;
    content.push({ type: 'text', text: part });
  }
  return { content, isError: false };
}

function nameOf(name: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(name) && name.length <= longestName) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, longestName - 9)}_${hash}`;
}

function description({ name, description }: Tool): string {
  const bytes = Buffer.from(description.trim() || name);
  return bytes.length <= longestDescription ? bytes.toString() : bytes.subarray(0, longestDescription - 3).toString().replace(/\uFFFD+$/, '');
}
