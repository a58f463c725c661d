// What the sidecar's process is given as environment: the editor's own, what the
// settings add, and the keys from the secret storage. Keys go this way and no other:
// not into settings, arguments, logs or traces.
import { createHash } from 'node:crypto';

/** A variable whose value is a secret by its name; the settings are no place for it. */
export function isSecretName(name: string): boolean {
  return /(^|_)(API_?KEYS?|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(_\d+)?$/i.test(name);
}

/**
 * A name under which a key may be given. The sidecar takes such variables out of the
 * environment of every command that the agent runs; of another name a command would see it.
 */
export function isKeyName(name: string): boolean {
  return isVariableName(name) && /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name);
}

/** What can go with a request as it is. A page that is copied from may add what cannot be seen. */
export function isKey(text: string): boolean {
  return /^[\u0021-\u007e]*$/.test(text);
}

/** A name that can be a variable on every platform. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** Tells a change of the keys once, however many notice it. Of the keys it has a digest only. */
export class KeysGiven {
  private last = '';

  /** These are what a process gets; says whether they are others than before. */
  take(keys: ReadonlyMap<string, string>): boolean {
    const now = createHash('sha256').update(JSON.stringify([...keys].sort())).digest('hex');
    const other = now !== this.last;
    this.last = now;
    return other;
  }
}

export interface Environment { env: Record<string, string>; refused: string[] }

export function environmentOf(own: NodeJS.ProcessEnv, settings: unknown, keys: ReadonlyMap<string, string>): Environment {
  const env: Record<string, string> = {}, refused: string[] = [];
  for (const [name, value] of Object.entries(own)) {
    // The editor's own sockets and switches are for its own children.
    if (value !== undefined && !/^(VSCODE|ELECTRON)_/i.test(name)) env[name] = value;
  }
  if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) {
    for (const [name, value] of Object.entries(settings)) {
      if (!isVariableName(name) || isSecretName(name) || typeof value !== 'string') refused.push(name);
      else env[name] = value;
    }
  }
  for (const [name, value] of keys) env[name] = value;
  return { env, refused };
}
