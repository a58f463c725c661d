// The processes of the sidecar that belong to a scenario.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const quietly = (read) => { try { return read(); } catch { return undefined; } }; // a process may end while it is looked at

/** Those that run in the home of a scenario, oldest first: {pid, environment}. */
export function sidecars(home, program = process.env.SIDECAR) {
  return readdirSync('/proc').filter((p) => /^\d+$/.test(p)).map(Number).sort((a, b) => a - b).flatMap((pid) => {
    if (quietly(() => readlinkSync(`/proc/${pid}/exe`)) !== program) return [];
    if (!quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.split('\0').includes('serve')) return []; // a helper of its own
    const text = quietly(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    if (text === undefined) return [];
    const environment = Object.fromEntries(text.split('\0').filter(Boolean).map((l) => [l.slice(0, l.indexOf('=')), l.slice(l.indexOf('=') + 1)]));
    return environment.HOME === home ? [{ pid, environment }] : [];
  });
}
