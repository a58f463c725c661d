// What runs inside the page while it is under load.

/** Its frames while each of them has the same small work, of 4 ms on a processor of its own: what the machine gives now. */
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
  while (frames.length < 60) {
    const now = await new Promise((go) => requestAnimationFrame(go));
    frames.push(now - last);
    last = now;
    work(share);
  }
  frames.splice(0, 2);
  frames.sort((a, b) => a - b);
  return { p95: frames[Math.floor(frames.length * 0.95)], worst: frames.at(-1) };
}

/** What a fixed work of a page, some rows that are made and laid out, takes here at its best, in milliseconds: the pace of this machine. */
export function pace() {
  const rows = () => {
    const all = document.createElement('div');
    all.style.width = '400px';
    for (let i = 0; i < 300; i++) {
      const row = all.appendChild(document.createElement('div'));
      for (let j = 0; j < 8; j++) row.appendChild(document.createElement('span')).textContent = `a few words ${i} ${j} `;
    }
    const start = performance.now();
    document.body.appendChild(all);
    const seen = all.offsetHeight;
    const took = performance.now() - start;
    all.remove();
    return seen > 0 ? took : Infinity;
  };
  let best = Infinity;
  for (let i = 0; i < 30; i++) best = Math.min(best, rows());
  return best;
}

/** Gathers frames and long tasks by the wall clock, and keeps frames coming; those of an editor around it are not its own. */
export function watch() {
  globalThis.watched?.stop();
  const frames = [];
  const tasks = [];
  const observer = new PerformanceObserver((l) => { for (const e of l.getEntries()) if (!/ancestor/.test(e.name)) tasks.push(e.duration); });
  observer.observe({ entryTypes: ['longtask'] });
  let last = performance.now();
  let on = true;
  requestAnimationFrame(function frame(now) {
    frames.push(now - last);
    last = now;
    if (on) requestAnimationFrame(frame);
  });
  globalThis.watched = {
    stop() { on = false; observer.disconnect(); },
    frames, longest: () => Math.max(0, ...tasks),
    p95: () => { const s = frames.slice(2).sort((a, b) => a - b); return s[Math.floor(s.length * 0.95)] ?? 0; },
  };
}

/** What was watched, which ends with it. */
export function frames() {
  const w = globalThis.watched;
  w.stop();
  return { p95: w.p95(), longest: w.longest(), count: w.frames.length };
}

/** Opens the session with these words from the list; how long until a row of it is on the screen. */
export async function opening(body, { title, selector }) {
  const start = performance.now();
  [...document.querySelectorAll('.session-open')].find((b) => b.textContent.includes(title)).click();
  while (!document.querySelector(selector)) await new Promise((go) => requestAnimationFrame(go));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  return performance.now() - start;
}
