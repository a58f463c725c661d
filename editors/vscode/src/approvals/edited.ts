// What a person has made of a proposed change, as the arguments of the same call: only the
// text of the one file that was shown can differ.
import type { Approval } from '../protocol';

/** Whether the proposal can be changed: one file, by a tool whose arguments are its text. */
export function isEditable(approval: Approval): boolean {
  return approval.editable === true && approval.decisions.includes('once') && Object.hasOwn(makers, approval.tool)
    && approval.preview?.kind === 'diff' && approval.preview.documents?.length === 1 && typeof approval.input === 'object' && approval.input !== null;
}

type Input = Record<string, unknown>;

/** The arguments by which the file becomes `now`; undefined where this tool cannot say that. */
export function editedInput(approval: Approval, before: string, now: string): Input | undefined {
  return Object.hasOwn(makers, approval.tool) ? makers[approval.tool]!(approval.input as Input, before, now) : undefined;
}

const makers: Record<string, (input: Input, before: string, now: string) => Input | undefined> = {
  write: ({ path }, _, now) => ({ path, content: now, ...(now === '' && { allowEmpty: true }) }),
  edit: ({ path }, before, now) => {
    const piece = pieceOf(before, now);
    return piece && { path, old: piece.old.join(''), new: piece.new.join('') };
  },
  apply_patch: ({ patch }, before, now) => {
    const path = typeof patch === 'string' ? /^\*\*\* Update File: (.+)$/m.exec(patch)?.[1] : undefined;
    const piece = path !== undefined && !/^\*\*\* Move to: /m.test(patch as string) ? pieceOf(before, now) : undefined;
    if (!piece) return undefined;
    const marked = (mark: string, lines: readonly string[]) => lines.map((l) => `${mark}${l.replace(/\r?\n$/, '')}\n`).join('');
    return { patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n${marked('-', piece.old)}${marked('+', piece.new)}*** End Patch` };
  },
};

/** The lines from the first to the last that differs, with as many around them as make the old ones stand in one place only. */
function pieceOf(before: string, now: string): { old: string[]; new: string[] } | undefined {
  const a = whole(before), b = whole(now);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  for (let around = 0; ; around = around * 2 + 1) {
    const from = Math.max(0, head - around), left = Math.max(0, tail - around);
    const old = a.slice(from, a.length - left), text = old.join('');
    if (text !== '' && before.indexOf(text) === before.lastIndexOf(text)) return { old, new: b.slice(from, b.length - left) };
    if (from === 0 && left === 0) return undefined;
  }
}

/** Lines with their ends. */
const whole = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
