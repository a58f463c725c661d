// How a few letters find a file.

/** A pattern that finds the letters of the query in this order, as pickers of files do. */
export function pattern(query: string): string {
  const letters = [...query.replace(/\\/g, '/')].filter((c) => !/[\s*?{}[\]!]/.test(c));
  if (letters.length === 0) return '**/*';
  const either = (c: string) => (c.toLowerCase() === c.toUpperCase() ? c : `[${c.toLowerCase()}${c.toUpperCase()}]`);
  const slash = letters.lastIndexOf('/');
  if (slash < 0) return `**/*${letters.map(either).join('*')}*`;
  const folder = letters.slice(0, slash).map((c) => (c === '/' ? '*/**/*' : either(c))).join('*');
  const name = letters.slice(slash + 1).map(either).join('*');
  return `**/*${folder}*/**/*${name}*`;
}

/** A pattern that finds what is in folders with the letters of the query in their names. */
export function inFolders(query: string): string {
  return `${pattern(query.replace(/\/+$/, ''))}/**`;
}

/** The best first: the name begins with it, has it, the path has it; the shorter path wins. */
export function ranked(paths: string[], query: string): string[] {
  const wanted = query.toLowerCase();
  const score = (p: string) => {
    const path = p.toLowerCase();
    const name = path.slice(path.lastIndexOf('/') + 1);
    return name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : path.includes(wanted) ? 3 : 4;
  };
  return paths.map((p) => ({ p, s: score(p) })).sort((a, b) => a.s - b.s || a.p.length - b.p.length || (a.p < b.p ? -1 : 1)).map((x) => x.p);
}
