// Where the user's configuration file is: the sidecar says it for each key that the file sets.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Sidecar } from '../sidecar/api';
import { readOptions } from '../sidecar/options';

export async function configurationFile(sidecar: Sidecar): Promise<string | undefined> {
  const { sources, diagnostics } = await sidecar.request('agent/config', { op: 'get' });
  const named = [...Object.values(sources), ...diagnostics].find((s) => s.source === 'config' && s.file)?.file;
  if (named) return named;
  const args = readOptions().args;
  const home = args.includes('--home') ? args[args.indexOf('--home') + 1] : (process.env.AGENT_SIDECAR_HOME ?? join(homedir(), '.agent-sidecar'));
  const file = join(home, 'config.jsonc');
  return existsSync(file) ? file : undefined;
}
