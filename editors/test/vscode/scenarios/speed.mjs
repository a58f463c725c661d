// Under load, from the model through the sidecar and the extension into the real web view: 20,000 pieces of one answer, 2,000 a second; and
// a session of 2,000 calls that is opened from the list. What is judged is the time that the page really used (trace.mjs). How fast it is
// by a clock on the wall depends on who else uses the machine: where that is too slow, none of the programs on the way may be the reason.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { is, must, until } from '../checks.mjs';
import { record } from '../long.mjs';
import { model } from '../page/sidecar.mjs';
import { frames, idle, opening, pace, watch } from '../page/load.mjs';
import { mostOfFrame, slowness, trace } from '../page/trace.mjs';
import { only, sidecars, usage } from '../processes.mjs';

const pieces = 20_000;
const words = ['see ', '`a` ', '*b* ', 'is ', 'a ']; // short ones: an answer of more than 64 KiB is cut
const calls = 2000;
const windows = 4; // the best of so many: others use this machine, too
const long = ['Read all of it.', 'Read it again.', 'And once more.']; // the first prompts of sessions, each of which is opened once

/** A script of its own: it is too long to be kept. A little faster than is asked for, so that it still is when all has come. */
function script(stage) {
  const text = Array.from({ length: pieces }, (_, i) => (i % 200 === 0 ? '\n\n- ' : '') + words[i % words.length]).join('');
  const file = join(stage.dir, 'speed.model');
  writeFileSync(file, `pace 400us\nrepeat ${windows}\noptional\nsay ${JSON.stringify(`${text}the-last-word-$N`)}\n`);
  return model(process.env.SCRIPTED, file);
}

export default async (stage) => {
  const scripted = await must('the model serves', () => script(stage));
  process.env.OPENAI_BASE_URL = scripted.url;
  await must(`sessions of ${calls} calls are made`, () => record({
    dir: stage.dir, workspace: stage.workspace, home: process.env.HOME, sidecar: process.env.SIDECAR, scripted: process.env.SCRIPTED, calls, titles: long,
  }));
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  const { pid } = await until(() => only(sidecars(process.env.HOME)), 'no sidecar runs');
  const slow = slowness(await chat.page.locator('body').evaluate(pace));
  await open(stage, window, chat, pid, slow);
  await answer(stage, window, chat, pid, slow);
  await window.close();
  await scripted.end();
};

/** The most that one of the programs has used, and what each of them has. */
const busiest = (r) => Math.max(r.used, r.sidecar, r.host);
const each = (r) => `the page used ${r.used.toFixed(0)} ms, the extension host ${r.host} ms, the sidecar ${r.sidecar} ms`;

async function open(stage, window, chat, pid, slow) {
  const body = chat.page.locator('body');
  let best;
  for (const title of long) { // the best of them: others use this machine, too
    await chat.fresh();
    await window.row('listSessions').click();
    await chat.page.locator('.session-open').filter({ hasText: title }).waitFor();
    const traced = await trace(stage.browser, body);
    const used = usage(pid);
    const ms = await must(`the session of ${calls} calls opens`, () => body.evaluate(opening, { title, selector: `[data-call="call${calls - 1}"]` }));
    const r = { ms, ...used(), ...await traced(), rows: await chat.page.locator('.row').count() };
    console.log(`     ${ms.toFixed(0)} ms from the click to the rows; ${each(r)}, longest task ${r.longest.toFixed(0)} ms (${r.made}), ${r.rows} rows in the document`);
    if (!best || ms < best.ms) best = r;
    if (ms <= 1000) break;
  }
  is('it opens at once', best.ms <= 1000 || busiest(best) <= 1000 * slow, `${best.ms} ms; ${each(best)}`);
  is('no task is long while it opens', best.longest <= 200 * slow, `${best.longest} ms: ${best.made}`);
  is('few of its rows are in the document', best.rows < 150, best.rows);
}

async function answer(stage, window, chat, pid, slow) {
  const body = chat.page.locator('body');
  let best;
  for (let n = 1; n <= windows && !(best?.rate >= 2000); n++) {
    await chat.fresh();
    const rest = await body.evaluate(idle);
    await body.evaluate(watch);
    const traced = await trace(stage.browser, body);
    const used = usage(pid);
    const start = Date.now();
    await must('the whole answer comes', async () => {
      await chat.say(`Say much, ${n}.`);
      await chat.answer(`the-last-word-${n}`).waitFor({ timeout: 200_000 });
    });
    const rate = Math.round((pieces * 1000) / (Date.now() - start));
    const r = { rate, rest, ...used(), ...await traced(), rows: await chat.page.locator('.row').count(), seen: await body.evaluate(frames) };
    if (!best || r.rate > best.rate) best = r;
  }
  const r = best;
  const says = `${r.rate} pieces a second; ${each(r)}; a frame uses ${r.p95.toFixed(1)} ms at p95 (${r.gathered.toFixed(1)} with what was left by frames that did not come), the longest task ${r.longest.toFixed(0)} ms (${r.made}), ${r.rows} rows in the document`;
  console.log(`     ${says}`);
  console.log(`     note by the wall clock: frames at p95 ${r.seen.p95.toFixed(1)} ms, longest task ${r.seen.longest.toFixed(0)} ms; a fixed work of 4 ms alone has p95 ${r.rest.p95.toFixed(1)} ms, the longest ${r.rest.worst.toFixed(0)} ms`);
  is(`${pieces} pieces come 2,000 a second`, r.rate >= 2000 || busiest(r) <= (pieces / 2) * slow, says);
  is('frames at p95 are cheap', r.frames > 10 && r.p95 <= mostOfFrame * slow, `${says}; at most ${(mostOfFrame * slow).toFixed(1)} ms`);
  is('no task is long', r.longest <= 200 * slow, says);
  is('only what is near the view is in the document', r.rows < 150, says);
}
