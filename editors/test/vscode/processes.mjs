// The processes of the sidecar that belong to a scenario.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const quietly = (read) => { try { return read(); } catch { return undefined; } }; // a process may end while it is looked at

/** The only one of them that runs, undefined while there is none or more: one look, for a process may end before the next. */
export function only(list) { return list.length === 1 ? list[0] : undefined; }

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

/** Of /proc/PID/stat: its parent, and the milliseconds of a processor that it has used. */
function stat(pid) {
  const [, parent, , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ').map(Number);
  return { parent, used: (user + system) * 10 };
}

/** What the sidecar and the extension host that has started it use of a processor from now on, in milliseconds, which is the same however busy the machine is. */
export function usage(sidecar) {
  let host = sidecar;
  do host = stat(host).parent; while (!/node$/.test(readlinkSync(`/proc/${host}/exe`))); // between them is the shell that keeps the wire
  const before = [sidecar, host].map((pid) => stat(pid).used);
  return () => {
    const [ours, its] = [sidecar, host].map((pid, i) => stat(pid).used - before[i]);
    return { sidecar: ours, host: its };
  };
}
