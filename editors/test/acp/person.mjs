// What the scenarios share: lines of what was seen, and acpx.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const check = (what, ok) => console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}`);
export const holds = (file, text) => existsSync(file) && readFileSync(file, 'utf8') === text;

/** Runs acpx; started is called with the process. */
export function acpx(words, started = () => {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(process.env.CLIENTS, 'acpx/dist/cli.js'), '--agent', process.env.SIDECAR_COMMAND, '--ttl', '5', ...words]);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (d) => { text += d; console.error(String(d)); });
    child.on('close', (code) => resolve({ code, text }));
    started(child, () => text);
  });
}

/** Resolves when is() says so: it is asked again with every turn, for half a minute. */
export async function until(is) {
  for (let tries = 0; tries < 600 && !is(); tries++) await new Promise((again) => setTimeout(again, 50));
  return is();
}
