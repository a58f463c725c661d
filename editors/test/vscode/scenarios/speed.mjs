// 20,000 pieces of one answer, 2,000 a second, from the model through the sidecar and the extension into the real web view.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Chat } from '../chat.mjs';
import { is, must } from '../checks.mjs';
import { idle, watch } from '../page/speed.mjs';

const pieces = 20_000;
const words = ['see ', '`a` ', '*b* ', 'is ', 'a ']; // short ones: an answer of more than 64 KiB is cut

/** A script of its own: it is too long to be kept. */
async function model(stage) {
  const text = Array.from({ length: pieces }, (_, i) => (i % 200 === 0 ? '\n\n- ' : '') + words[i % words.length]).join('');
  const file = join(stage.dir, 'speed.model');
  writeFileSync(file, `pace 500us\nrepeat 2\noptional\nsay ${JSON.stringify(`${text}the-last-word-$N`)}\n`);
  const scripted = spawn(process.env.SCRIPTED, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: scripted.stdout })) {
    process.env.OPENAI_BASE_URL = line.trim();
    return scripted;
  }
  throw new Error('the model does not serve');
}

export default async (stage) => {
  const scripted = await must('the model serves', () => model(stage));
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  const body = chat.page.locator('body');
  let best;
  for (let n = 1; n <= 2 && !(best?.p95 <= 32 && best.longest <= 200); n++) { // the better of two: others use this machine, too
    if (n > 1) await window.command(window.title('newSession'));
    await chat.box.waitFor();
    const rest = await body.evaluate(idle);
    await body.evaluate(watch);
    const start = Date.now();
    await must('the whole answer comes', async () => {
      await chat.say(`Say much, ${n}.`);
      await chat.answer(`the-last-word-${n}`).waitFor({ timeout: 60_000 });
    });
    const rate = Math.round((pieces * 1000) / (Date.now() - start));
    const measured = await body.evaluate(() => ({ p95: globalThis.watched.p95(), longest: globalThis.watched.longest(), rows: document.querySelectorAll('.row').length }));
    await body.evaluate(() => globalThis.watched.stop());
    console.log(`     ${n}: ${JSON.stringify({ rate, ...measured, rest })}`);
    if (!best || measured.p95 + measured.longest < best.p95 + best.longest) best = { ...measured, rate, rest };
  }
  const r = best;
  const says = `${r.rate} pieces a second, p95 ${r.p95.toFixed(1)} ms, longest task ${r.longest.toFixed(0)} ms; a fixed work of 4 ms has p95 ${r.rest.p95.toFixed(1)} ms, the longest ${r.rest.worst.toFixed(0)} ms`;
  console.log(`     ${says}`);
  // Where even a small fixed work misses its frames, they say nothing about the page.
  const busy = r.rest.p95 > 18 || r.rest.worst > 50;
  if (busy) console.log('     the machine is too busy for its frames to be measured');
  is('frames at p95 in 32 ms', r.p95 <= 32 || busy, says);
  is('no task over 200 ms', r.longest <= 200 || busy, says);
  is('only what is near the view is in the document', r.rows < 150, r.rows);
  await window.close();
  scripted.stdin.end();
};
