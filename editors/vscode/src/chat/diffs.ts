// Which files the git of the editor calls changed, and whether a diff is of the one file that was asked for.

interface Uri { readonly path: string; toString(): string }

/** As git of the editor counts: deleted in the index or in the folder, and not tracked. */
const deleted = [2, 6], untracked = 7;

/** Each file once, with what became of it. */
export function filesOf<U extends Uri>(changes: readonly { uri: U; status: number }[]): [uri: U, how: 'changed' | 'deleted' | 'not tracked'][] {
  const files = new Map<string, [U, 'changed' | 'deleted' | 'not tracked']>();
  for (const { uri, status } of changes) files.set(uri.toString(), [uri, deleted.includes(status) ? 'deleted' : status === untracked ? 'not tracked' : 'changed']);
  return [...files.values()];
}

/** Whether git takes a path for that of one file: others are patterns to it, and would give the text of more. */
export const isPlain = (path: string) => !/[*?[\]\\]|(^|\/):/.test(path);

/** Whether it is the diff of one file. A line of a file's text never begins so. */
export const isOfOne = (diff: string) => diff.split('\n').filter((line) => line.startsWith('diff --')).length === 1 && diff.startsWith('diff --git ');
