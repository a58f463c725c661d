// Under load: 20,000 pieces of one answer at 2,000 a second; fewer where all are one list, one
// paragraph or one fence, which the page cuts; and a session of 2,000 calls that is opened, scrolled and read backwards.
import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { check, is } from './checks.mjs';
import main from './main.mjs';
import { replay } from './replay.mjs';
import { open } from './stage.mjs';

const counted = { prose: 20_000 };
const few = 6_000;
const rate = 2_000;

/** What the pieces are. */
const texts = {
  prose: (i) => (i % 200 === 0 ? '\n\n## Part\n\n' : i % 40 === 0 ? '\n\n- ' : i % 150 === 77 ? '\n\n```go\nfunc x() {}\n```\n\n' : ['see ', '`a/b.go:12`, ', '**then** ', 'words ', 'of '][i % 5]),
  'one paragraph': (i) => ['words ', 'without ', 'an ', 'end '][i % 4],
  'one list': (i) => (i % 8 === 0 ? `\n- item ${i} ` : 'word '),
  'one fence': (i) => (i === 0 ? '```ts\n' : i % 10 === 0 ? '\n' : 'x = y; '),
};

export default async function speed(hall) {
  if (!hall.recorded) await main(hall);
  const { recorded } = hall;
  const began = recorded.events.filter((e) => e.seq !== undefined && e.seq <= 2);

  for (const [name, piece] of Object.entries(texts)) {
    const pieces = counted[name] ?? few;
    await check(`page: ${pieces} pieces of an answer, ${name}`, async () => {
      const list = Array.from({ length: pieces }, (_, i) => piece(i));
      let best;
      for (let i = 0; i < (crowdedBy(best) ? 2 : 3) && !(best?.p95 <= 32 && best.longest <= 200); i++) { // the better of some measurements: others use this machine, too
        const r = await once(hall, recorded, began, list);
        if (best) await (r.p95 < best.p95 ? best : r).stage.close();
        if (!best || r.p95 < best.p95) best = r;
      }
      const { stage, ...r } = best;
      writeFileSync(join(hall.out, `speed-${name.replaceAll(' ', '-')}.json`), JSON.stringify(r, null, 1));
      const says = `p95 ${r.p95.toFixed(1)} ms, longest task ${r.longest.toFixed(0)} ms, ${r.frames} frames, ${r.seconds.toFixed(1)} s, ${r.rows} rows in the document; of its own the page used ${(r.cpu * 1000 / r.frames).toFixed(1)} ms a frame; a fixed work of 4 ms has p95 ${r.rest.p95.toFixed(1)} ms, the longest ${r.rest.worst.toFixed(0)} ms`;
      console.log(`     ${name}: ${says}`);
      // Where even a small fixed work misses its frames, they say nothing about the page; what it uses itself does.
      const busy = crowded(r.rest);
      if (busy) console.log('     the machine is too busy for its frames to be measured');
      is(`page: ${name}: frames at p95 in 32 ms`, r.p95 <= 32 || busy, says);
      is(`page: ${name}: no task over 200 ms`, r.longest <= 200 || busy, says);
      is(`page: ${name}: a third of the time of a frame is enough for it`, (r.cpu * 1000) / r.frames <= 11, says);
      is(`page: ${name}: it came as fast as it was sent`, r.seconds <= pieces / rate + 1, says);
      is(`page: ${name}: only what is near the view is in the document`, r.rows < 150, says);
      is(`page: ${name}: the view stands at the end`, r.fromEnd < 30, `${r.fromEnd} pixels away`);
      const whole = list.join('');
      await stage.tell({ type: 'events', events: [{ sessionId: '0001', seq: 3, time: '', runId: 'r', type: 'message.assistant', data: { messageId: 'm', text: whole, model: 'm' } }] });
      await check(`page: ${name}: it is shown when the whole has come`, () => stage.page.locator('.row').filter({ hasText: /\S/ }).last().waitFor());
      await stage.close();
    });
  }

  await check('page: a session of 2000 calls', async () => {
    const events = many(recorded, 2000);
    const host = replay(recorded, { events, delay: 5 });
    const stage = await open(hall.browser, hall.url, { host, hello: { state: { sessionId: null } } });
    await stage.page.evaluate(watch);
    const before = Date.now();
    await stage.tell({ type: 'show', sessionId: '0001' });
    await stage.page.locator('.row.call', { hasText: 'call 1999' }).first().waitFor();
    const ms = Date.now() - before;
    const longest = await stage.page.evaluate(() => globalThis.watched.longest());
    console.log(`     opened in ${ms} ms, longest task ${longest.toFixed(0)} ms`);
    is('page: it opens in 1 s', ms <= 1000, `${ms} ms`);
    is('page: no task over 200 ms while it opens', longest <= 200, `${longest} ms`);
    const rest = await stage.page.evaluate(idle);
    const r = await stage.page.evaluate(back);
    console.log(`     read back to the beginning in ${r.seconds.toFixed(1)} s, p95 ${r.p95.toFixed(1)} ms, longest task ${r.longest.toFixed(0)} ms, ${r.rows} rows in the document`);
    is('page: scrolling reads it back to its beginning', r.first, JSON.stringify(r));
    is('page: what is looked at does not jump while it is read', r.jump < 60, `${r.jump} pixels`);
    const busy = crowded(rest);
    if (busy) console.log(`     the machine is too busy for its frames to be measured: a fixed work of 4 ms has p95 ${rest.p95.toFixed(1)} ms, the longest ${rest.worst.toFixed(0)} ms`);
    is('page: frames at p95 in 32 ms while scrolling', r.p95 <= 32 || busy, `${r.p95} ms`);
    is('page: no task over 200 ms while scrolling', r.longest <= 200 || busy, `${r.longest} ms`);
    is('page: few rows are in the document', r.rows < 150, r.rows);
    await stage.page.screenshot({ path: join(hall.out, 'beginning.png') });
    await stage.close();
  });
}

const crowdedBy = (r) => r !== undefined && crowded(r.rest);
/** Whether others keep this machine from drawing: what even a small work does not get, or more of them than processors. */
const crowded = (rest) => rest.p95 > 18 || rest.worst > 50 || loadavg()[0] > 1.5 * availableParallelism();

/** One answer, and what the page and the machine did meanwhile. */
async function once(hall, recorded, began, list) {
  const stage = await open(hall.browser, hall.url, { host: replay(recorded, { events: began }), hello: { state: { sessionId: '0001' } } });
  await stage.page.locator('.row.prompt').waitFor();
  const rest = await stage.page.evaluate(idle);
  const cdp = await stage.page.context().newCDPSession(stage.page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const used = async () => (await cdp.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value;
  const before = await used();
  const r = await stage.page.evaluate(stream, { list, rate });
  return { ...r, rest, cpu: await used() - before, stage };
}

/** Runs in the page: its frames while each of them has the same small work, of 4 ms on a processor of its own. */
export async function idle() {
  let sink = 0;
  const work = (n) => { for (let i = 0; i < n; i++) sink += Math.sqrt(i); };
  work(1e6);
  let best = Infinity;
  for (let i = 0; i < 9; i++) {
    const t = performance.now();
    work(1e6);
    best = Math.min(best, performance.now() - t);
  }
  const share = Math.round((4 / Math.max(0.1, best)) * 1e6);
  const frames = [];
  let last = performance.now();
  while (frames.length < 90) {
    const now = await new Promise((go) => requestAnimationFrame(go));
    frames.push(now - last);
    last = now;
    work(share);
  }
  frames.splice(0, 2);
  frames.sort((a, b) => a - b);
  return { p95: frames[Math.floor(frames.length * 0.95)], worst: frames.at(-1) };
}

/** A log of so many calls, each as it was recorded. */
function many(recorded, calls) {
  const kinds = ['message.assistant', 'tool.requested', 'tool.decided', 'tool.returned'];
  const shape = Object.fromEntries(kinds.map((k) => [k, recorded.events.find((e) => e.type === k && e.seq !== undefined && (k === 'message.assistant' ? e.data.text : e.data.callId === 'c2'))]));
  const events = recorded.events.filter((e) => e.seq !== undefined && e.seq <= 2);
  for (let i = 0; i < calls; i++) {
    for (const k of kinds) {
      const e = structuredClone(shape[k]);
      e.seq = events.length + 1;
      if (k === 'message.assistant') Object.assign(e.data, { messageId: `m${i}`, text: i % 4 ? '' : `Step ${i}: I look at \`greet.go:6\`, and *then* further.`, calls: [] });
      else e.data.callId = `c${i}`;
      if (k === 'tool.requested') e.data.title = `read call ${i}`;
      if (k === 'tool.returned') e.data.text = 'a line of the file\n'.repeat(60);
      events.push(e);
    }
  }
  return events;
}

/** Runs in the page: gathers frames and long tasks; those of an editor around it are not its own. */
export function watch() {
  const frames = [];
  const tasks = [];
  new PerformanceObserver((l) => { for (const e of l.getEntries()) if (!/ancestor/.test(e.name)) tasks.push(e.duration); }).observe({ entryTypes: ['longtask'] });
  let last = performance.now();
  let on = true;
  requestAnimationFrame(function frame(now) {
    frames.push(now - last);
    last = now;
    if (on) requestAnimationFrame(frame);
  });
  globalThis.watched = {
    stop() { on = false; },
    frames, longest: () => Math.max(0, ...tasks),
    p95: () => { const s = frames.slice(2).sort((a, b) => a - b); return s[Math.floor(s.length * 0.95)] ?? 0; },
  };
}

/** Runs in the page: sends the pieces at their rate, gathered as the extension gathers them. */
async function stream({ list, rate }) {
  const frames = [];
  const tasks = [];
  new PerformanceObserver((l) => { for (const e of l.getEntries()) tasks.push(e.duration); }).observe({ entryTypes: ['longtask'] });
  let last = performance.now();
  let on = true;
  requestAnimationFrame(function frame(now) {
    frames.push(now - last);
    last = now;
    if (on) requestAnimationFrame(frame);
  });
  const start = performance.now();
  let sent = 0;
  await new Promise((done) => {
    const timer = setInterval(() => {
      const due = Math.min(list.length, Math.floor(((performance.now() - start) / 1000) * rate));
      const events = [];
      for (; sent < due; sent++) events.push({ sessionId: '0001', afterSeq: 2, time: '', runId: 'r', type: 'message.delta', data: { messageId: 'm', text: list[sent] } });
      if (events.length) window.postMessage({ type: 'events', events }, '*');
      if (sent === list.length) { clearInterval(timer); done(); }
    }, 16);
  });
  await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  const seconds = (performance.now() - start) / 1000;
  on = false;
  const sorted = frames.slice(2).sort((a, b) => a - b);
  const s = document.querySelector('.scroller');
  return {
    p95: sorted[Math.floor(sorted.length * 0.95)], worst: sorted.at(-1), frames: sorted.length, longest: Math.max(0, ...tasks), tasks: tasks.length, seconds,
    rows: document.querySelectorAll('.row').length, fromEnd: s.scrollHeight - s.scrollTop - s.clientHeight,
  };
}

/** Runs in the page: scrolls to the beginning as a wheel does, and looks whether a row that is seen jumps. */
async function back() {
  const s = document.querySelector('.scroller');
  const start = performance.now();
  const w = globalThis.watched;
  w.frames.length = 0;
  const seen = () => { const top = s.getBoundingClientRect().top; return [...document.querySelectorAll('.row')].find((r) => r.getBoundingClientRect().bottom > top + 100); };
  let jump = 0;
  let still = 0;
  s.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
  for (let i = 0; i < 3000 && still < 30; i++) {
    const row = seen();
    const at = row?.getBoundingClientRect().top;
    const key = row?.dataset.key;
    const from = s.scrollTop;
    s.scrollTop -= 900;
    const asked = from - s.scrollTop;
    await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
    const now = key && document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (now) jump = Math.max(jump, Math.abs(now.getBoundingClientRect().top - at - asked));
    still = asked === 0 ? still + 1 : 0;
  }
  w.stop();
  return { seconds: (performance.now() - start) / 1000, p95: w.p95(), longest: w.longest(), jump, first: !!document.querySelector('.row.prompt'), rows: document.querySelectorAll('.row').length };
}
