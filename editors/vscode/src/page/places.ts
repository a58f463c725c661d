// What goes with a prompt by its name alone: a place, which is a file or some lines of one, and
// a text that is too long for a line of the log.
import type { ContentBlock } from '../protocol';
import { t } from './strings';

export interface Linked { path: string; name: string; lines: string; line?: number; last?: number }

export function linked(b: ContentBlock): Linked {
  let path = b.uri ?? '';
  try {
    path = decodeURIComponent(new URL(path).pathname).replace(/^\/([A-Za-z]:)/, '$1');
  } catch {
    // Shown as it is.
  }
  const line = b.range ? b.range.start.line + 1 : undefined;
  const last = b.range ? b.range.end.line + (b.range.end.character > 0 || b.range.end.line === b.range.start.line ? 1 : 0) : undefined;
  const lines = line === undefined ? (b.mimeType === 'text/x-diff' ? ' ±' : '') : last === undefined || last <= line ? `:${line}` : `:${line}-${last}`;
  return { path, name: path.slice(path.lastIndexOf('/') + 1), lines, ...(line !== undefined && { line }), ...(last !== undefined && { last }) };
}

export const longText = (b: ContentBlock): string => t('longText', Math.ceil((b.bytes ?? 0) / 1024));
