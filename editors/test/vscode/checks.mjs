// One line a check, as everywhere in editors/test: `ok   what` or `FAIL what -- why`. play.sh puts the editor's name before it and counts.
import { existsSync, readFileSync } from 'node:fs';

let failures = 0;
let shoot = async () => {};
/** What is to be kept of the screen where a check fails. */
export const onFailure = (take) => { shoot = take; };
export const failed = () => failures > 0;

/** What was not there in time, so that what builds on it need not be played. */
export class Stop extends Error {}

/** What went wrong in one line: of a long text both ends, for a program's own last words stand last. */
export function line(value) {
  const text = String(value?.message ?? value).replace(/\x1b\[[0-9;]*m/g, '').replace(/\s+/g, ' ');
  return text.length > 800 ? `${text.slice(0, 300)} … ${text.slice(-500)}` : text;
}

async function report(what, why) {
  if (why === undefined) { console.log(`ok   ${what}`); return true; }
  failures++;
  console.log(`FAIL ${what} -- ${line(why)}`);
  await shoot(what).catch(() => {});
  return false;
}

/** A fact. `extra` is said where it is not so. The scenario goes on in either case. */
export const is = (what, ok, extra = 'it is not so') => report(what, ok ? undefined : extra);

/** Something to be done or waited for; what `act` throws is the reason. The scenario goes on in either case: true where it worked. */
export async function check(what, act) {
  try { await act(); } catch (e) { if (e instanceof Stop) throw e; return report(what, e); }
  return report(what);
}

/** As check, but the rest of the scenario is not played where it fails. */
export async function must(what, act) {
  let value;
  if (!await check(what, async () => { value = await act(); })) throw new Stop(what);
  return value;
}

/** Waits until `probe` answers something true, and answers that. For files and processes; what is on the screen is waited for by playwright. */
export async function until(probe, what = 'it does not come', ms = 60_000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(typeof what === 'function' ? what() : what);
    await new Promise((go) => setTimeout(go, 25));
  }
}

/** The text of a file, '' where there is none. */
export const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Waits until a file says so. */
export const says = (path, text, ms) => until(() => read(path) === text, () => `${path} says ${JSON.stringify(read(path).slice(0, 200))}`, ms);
