// What the settings say, as the process and the protocol take it.
import { workspace } from 'vscode';
import { patternsOf } from './hosttools';

/** Where the sidecar shows questions beside the chat. The client cannot change it later. */
export interface Surfaces { codeLens: boolean; diagnostics: boolean; messageRequest: false; transcript: false }

export interface Options {
  path: string;
  args: string[];
  environment: unknown;
  surfaces: Surfaces;
  /** Which tools of other extensions the agent may ask for. */
  hostTools: string[];
  /** The inline configuration: the keys of the configuration file. */
  inline: Record<string, unknown>;
}

/** Those that act only when a process begins. */
export const startSettings = ['path', 'home', 'log', 'environment', 'codeLens', 'diagnostics', 'hostTools'].map((key) => `agentSidecar.${key}`);

export function readOptions(): Options {
  const settings = workspace.getConfiguration('agentSidecar');
  const text = (key: string) => (settings.get<string>(key) ?? '').trim();
  const args = ['serve'];
  if (text('home')) args.push('--home', text('home'));
  if (text('log')) args.push('--log', text('log'));
  const inline = settings.get<unknown>('configuration');
  return {
    path: text('path'),
    args,
    environment: settings.get('environment'),
    surfaces: { codeLens: settings.get('codeLens') ?? true, diagnostics: settings.get('diagnostics') ?? true, messageRequest: false, transcript: false },
    hostTools: patternsOf(settings.get('hostTools')),
    // A setting is an object of the editor's own; the protocol gets a plain copy.
    inline: typeof inline === 'object' && inline !== null && !Array.isArray(inline) ? JSON.parse(JSON.stringify(inline)) : {},
  };
}

/** `initializationOptions`: whoever opened the folder says whether it is trusted, nobody else. */
export function initializationOptions(o: Options, trusted: boolean): Record<string, unknown> {
  return { ...o.inline, surfaces: o.surfaces, agentSidecar: { trusted } };
}

/** The params of `workspace/didChangeConfiguration`. */
export function configurationOf(o: Options, trusted: boolean): { settings: { agentSidecar: Record<string, unknown> } } {
  return { settings: { agentSidecar: initializationOptions(o, trusted) } };
}
