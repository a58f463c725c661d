// Places that a text names: `src/a.go:12`, `vault:/b.go#L3-L9`. They come from models and
// files. What one means is decided here, once, by what the path really is on the disk.

export interface Citation { path: string; line?: number; endLine?: number }

/** Reads `path`, `path:line`, `path:line-line`, `path:line:column`, `path#Lline`. */
export function citation(text: string): Citation | undefined {
  const found = /^(.+?)(?:(?::|#L)(\d{1,9})(?:(?:-L?(\d{1,9}))|(?::\d{1,9}))?)?$/s.exec(text.trim());
  if (!found) return undefined;
  const [, path, from, to] = found;
  const line = from === undefined ? undefined : Number(from);
  const endLine = to === undefined ? undefined : Number(to);
  if (line === 0) return { path: path! };
  return { path: path!, ...(line !== undefined && { line }), ...(endLine !== undefined && line !== undefined && endLine >= line && { endLine }) };
}

export interface Folder { name: string; path: string }

/** What is asked of the disk. `real` follows every link; both fail where nothing is. */
export interface Disk {
  real(path: string): Promise<string>;
  isFile(path: string): Promise<boolean>;
}

export type Place =
  /** `shown` is what a person should be told where it lies outside: the way behind all links. */
  | { kind: 'inside' | 'outside'; path: string; shown: string }
  | { kind: 'missing'; tried: string[] }
  | { kind: 'refused' };

/**
 * Where a named path can lie, best first: as the sidecar writes paths, relative to the
 * first folder, `vault:` for it, `vault@<name>:` for another; a bare path may also stem
 * from a tool that ran in another folder.
 */
export function candidates(path: string, folders: readonly Folder[], join: (...parts: string[]) => string, isAbsolute: (path: string) => boolean): string[] {
  const vault = /^vault(?:@([^:]*))?:\/?(.*)$/s.exec(path);
  if (vault) {
    const folder = vault[1] === undefined ? folders[0] : folders.find((f) => f.name === vault[1]);
    return folder ? [join(folder.path, vault[2]!)] : [];
  }
  if (isAbsolute(path)) return [path];
  return folders.map((f) => join(f.path, path));
}

/** A scheme makes a text something else than a path: `command:`, `http:`. The letter of a drive does not. */
const scheme = /^[a-z][a-z0-9+.-]+:/i;

/** Where `path` leads. Whether it lies inside is a question to the real path, never to the words. */
export async function locate(path: string, folders: readonly Folder[], disk: Disk, paths: { join(...p: string[]): string; isAbsolute(p: string): boolean; relative(a: string, b: string): string }): Promise<Place> {
  if (path === '' || path.length > 4096 || path.includes('\0')) return { kind: 'refused' };
  if (scheme.test(path) && !/^vault(@[^:]*)?:/.test(path)) return { kind: 'refused' };
  // A share of another machine, or a device: to look whether it is there is to talk to it.
  if (/^[\\/]{2}/.test(path) && !folders.some((f) => within(f.path, path, paths))) return { kind: 'refused' };
  const tried = candidates(path, folders, paths.join, paths.isAbsolute);
  for (const candidate of tried) {
    let real: string;
    try {
      real = await disk.real(candidate);
      if (!(await disk.isFile(real))) continue;
    } catch {
      continue;
    }
    for (const folder of folders) {
      let root: string;
      try {
        root = await disk.real(folder.path);
      } catch {
        continue;
      }
      if (within(root, real, paths)) return { kind: 'inside', path: candidate, shown: real };
    }
    return { kind: 'outside', path: real, shown: real };
  }
  return { kind: 'missing', tried };
}

function within(root: string, path: string, paths: { isAbsolute(p: string): boolean; relative(a: string, b: string): string }): boolean {
  const way = paths.relative(root, path);
  return way !== '' && way !== '..' && !/^\.\.[/\\]/.test(way) && !paths.isAbsolute(way);
}

/** The link, if it is one of the web. */
export function webLink(href: string): string | undefined {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return undefined;
  }
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}
