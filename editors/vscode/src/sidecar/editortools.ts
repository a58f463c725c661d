// The one place that asks the editor for the tools of its extensions.
import { type CancellationToken, LanguageModelPromptTsxPart, LanguageModelTextPart, lm } from 'vscode';
import type { ClientToolParams, ClientToolResult } from '../protocol';
import { call, choosable, type Declared, declared, type Tool } from './hosttools';
import { readOptions } from './options';

/** Those that a person can choose. Not every fork of the editor has an API for them. */
export function editorTools(): Tool[] {
  return choosable((lm as typeof lm | undefined)?.tools ?? []);
}

/** What a process that starts now is told of. */
export function declaredTools(): Declared {
  return declared(editorTools(), readOptions().hostTools);
}

/** Has a tool work, outside of any chat of the editor's own. It may ask the person something itself. */
export function runTool(known: Declared, params: ClientToolParams, token: CancellationToken): Promise<ClientToolResult> {
  return call(known, async (name, input) => {
    const { content } = await lm.invokeTool(name, { toolInvocationToken: undefined, input }, token);
    return content.map((part) => {
      if (part instanceof LanguageModelTextPart) return part.value;
      return { type: part instanceof LanguageModelPromptTsxPart ? 'prompt-tsx' : String((part as { mimeType?: unknown } | null)?.mimeType ?? 'unknown') };
    });
  }, params);
}
