// Which lines differ between two texts: bounded, so that a large file costs little. Where
// two texts have little in common, what differs is one piece.

/** Lines from…to of the text before are lines start…end of the text now. */
export interface Hunk { from: number; to: number; start: number; end: number }

/** Differences that are looked for one by one. */
const mostSteps = 600;

export const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);

export function hunksOf(before: readonly string[], now: readonly string[]): Hunk[] {
  let head = 0;
  while (head < before.length && head < now.length && before[head] === now[head]) head++;
  let tail = 0;
  while (tail < before.length - head && tail < now.length - head && before[before.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const a = before.slice(head, before.length - tail), b = now.slice(head, now.length - tail);
  if (a.length === 0 && b.length === 0) return [];
  const stays = a.length === 0 || b.length === 0 ? [] : matches(a, b) ?? [];
  const hunks: Hunk[] = [];
  let x = 0, y = 0;
  for (const [i, j] of [...stays, [a.length, b.length] as const]) {
    if (i > x || j > y) hunks.push({ from: head + x, to: head + i, start: head + y, end: head + j });
    x = i + 1;
    y = j + 1;
  }
  return hunks;
}

/** The lines that stay, in order, as the shortest edit has it; undefined where that is too long. */
function matches(a: readonly string[], b: readonly string[]): [number, number][] | undefined {
  const most = Math.min(a.length + b.length, mostSteps);
  const reached: Int32Array[] = [];
  const v = new Int32Array(2 * most + 2);
  for (let d = 0; d <= most; d++) {
    reached.push(v.slice());
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && v[most + k - 1]! < v[most + k + 1]!) ? v[most + k + 1]! : v[most + k - 1]! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      v[most + k] = x;
      if (x >= a.length && x - k >= b.length) return back(reached, most, a.length, b.length);
    }
  }
  return undefined;
}

/** Goes back from the end to the beginning; reached[d] is how far each diagonal came with less than d edits. */
function back(reached: readonly Int32Array[], most: number, x: number, y: number): [number, number][] {
  const found: [number, number][] = [];
  for (let d = reached.length - 1; d > 0; d--) {
    const v = reached[d]!, k = x - y;
    const down = k === -d || (k !== d && v[most + k - 1]! < v[most + k + 1]!);
    const px = v[most + (down ? k + 1 : k - 1)]!, py = px - (down ? k + 1 : k - 1);
    const begin = down ? px : px + 1; // of the lines that stay behind the edit
    while (x > begin) found.push([--x, --y]);
    x = px;
    y = py;
  }
  while (x > 0) found.push([--x, --y]);
  return found.reverse();
}
