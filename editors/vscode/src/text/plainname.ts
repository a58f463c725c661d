// Files as people know them. The sidecar names them by objects: `vault:/` is the folder that a person works in, `vault@lib:/` a further
// one, `fs:/` the machine. Its own sentences say it in the same way.

export function plainName(object: string): string {
  if (object.startsWith('fs:/')) return object.slice('fs:'.length);
  const [, further, path] = /^vault(?:@([^:]*))?:\/(.*)$/s.exec(object) ?? [];
  if (path === undefined) return object;
  if (further !== undefined) return `${further}: ${path}`;
  return path === '' || path.includes(':') ? `./${path}` : path; // it could be taken for a folder's name
}

/** What a lasting yes stores: of several rules each. A command is shown letter by letter. */
export const plainRule = (domain: string, pattern: string) => (domain === 'read' || domain === 'edit' ? pattern.split(' + ').map(plainName).join(' + ') : pattern);
