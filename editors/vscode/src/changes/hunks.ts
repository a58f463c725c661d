// The agent's changes to a file as pieces: what differs between the file as it was before
// the agent and the text as it is in the editor now. Keeping a piece is the editor's own
// state; taking one back is the person's own edit.
import { createHash } from 'node:crypto';
import { hunksOf, linesOf, type Hunk } from './lines';
import type { RunChanges } from './model';

/** A file with the text that its pieces are against. */
export interface Base {
  sessionId: string;
  path: string;
  uri: string;
  /** The runs that have changed it and that nobody has kept, oldest first. */
  runs: string[];
  /** The document of what was there before the oldest of them; undefined: there was no file. */
  checkpoint?: string;
}

export interface Piece extends Hunk { id: string }

/** More would be felt while typing. */
export const mostText = 1024 * 1024;

/** The files of the runs of a session, newest first, that are still to be looked at. What is not kept any more has no base. */
export function basesOf(sessionId: string, runs: readonly RunChanges[]): Base[] {
  const bases = new Map<string, Base | undefined>();
  for (const run of [...runs].reverse()) {
    for (const f of run.files) {
      if (bases.has(f.uri)) {
        bases.get(f.uri)?.runs.push(run.runId);
        continue;
      }
      const known = f.checkpoint !== undefined || f.kind === 'created';
      bases.set(f.uri, known && f.kind !== 'deleted' ? { sessionId, path: f.path, uri: f.uri, runs: [run.runId], ...(f.checkpoint !== undefined && { checkpoint: f.checkpoint }) } : undefined);
    }
  }
  return [...bases.values()].filter((b) => b !== undefined);
}

/** Whether a text is what a checkpoint names: its URI has the hash. Words about a text that cannot be shown are not, nor is one that the editor has read otherwise. */
export function isText(checkpoint: string, text: string): boolean {
  const hash = decodeURIComponent(checkpoint).replace(/^[^:]*:\/+/, '').split('/')[1];
  return hash === createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The pieces of a text, each with a name that it has as long as it is the same. */
export function piecesOf(before: readonly string[], now: readonly string[]): Piece[] {
  return hunksOf(before, now).map((h) => ({ ...h, id: `${h.from}-${h.to}-${digest(now.slice(h.start, h.end))}` }));
}

const digest = (lines: readonly string[]) => createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);

/** What takes a piece back: from the beginning of line start, or the end of the line before it, to where, and the text that comes there. */
export interface TakesBack { start: [line: number, character: number]; end: [line: number, character: number]; text: string }

export function takesBack(before: readonly string[], now: readonly string[], h: Hunk): TakesBack {
  const old = before.slice(h.from, h.to);
  if (h.end < now.length) return { start: [h.start, 0], end: [h.end, 0], text: old.map((l) => `${l}\n`).join('') };
  const last: [number, number] = [now.length - 1, now[now.length - 1]!.length];
  if (h.start > 0) return { start: [h.start - 1, now[h.start - 1]!.length], end: last, text: old.map((l) => `\n${l}`).join('') };
  return { start: [0, 0], end: last, text: old.join('\n') };
}

/** Pieces that a person keeps, by the checkpoint that they are against. */
export type KeptPieces = Record<string, string[]>;

const mostFiles = 100, mostPieces = 500;

/** Read from where the editor keeps it: anything may be there. */
export function keptPieces(v: unknown): KeptPieces {
  if (typeof v !== 'object' || v === null) return {};
  return Object.fromEntries(Object.entries(v).filter((e): e is [string, string[]] => Array.isArray(e[1]) && e[1].every((p) => typeof p === 'string')));
}

/** The same with one more; what was not touched longest goes first. */
export function keepPiece(kept: KeptPieces, checkpoint: string, id: string): KeptPieces {
  const { [checkpoint]: mine = [], ...others } = kept;
  return Object.fromEntries(Object.entries({ ...others, [checkpoint]: [...new Set([...mine, id])].slice(-mostPieces) }).slice(-mostFiles));
}

export { linesOf };
