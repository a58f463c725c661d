// What the page costs a processor, by the browser's own trace: each task and each frame in the time that its threads really ran, which is
// the same however busy the machine is. What a clock on the wall says beside it depends on who else runs.

const begins = 'agent-sidecar: the page';
const categories = ['disabled-by-default-devtools.timeline', 'devtools.timeline', 'blink.user_timing', 'toplevel'];

/**
 * Begins a trace of the process that shows `body`, a locator in the page. Its end gives, in milliseconds:
 * p95, the p95 of what one frame costs all threads of that process, from the frame before to its own end; gathered, the same with what frames
 * would have done that did not come because others had the processor; longest, the longest task of
 * the page; and what that task was made of.
 */
export async function trace(browser, body) {
  const cdp = await browser.newBrowserCDPSession();
  const events = [];
  cdp.on('Tracing.dataCollected', ({ value }) => { for (const e of value) if (e.ph === 'X' || e.name === begins) events.push(e); });
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { recordMode: 'recordAsMuchAsPossible', includedCategories: categories, excludedCategories: ['*'] } });
  await body.evaluate((_, name) => { performance.mark(name); }, begins);
  return async () => {
    const complete = new Promise((done) => cdp.once('Tracing.tracingComplete', done));
    await cdp.send('Tracing.end');
    await complete;
    await cdp.detach();
    return measure(events);
  };
}

const ordinary = 14.5; // milliseconds that pace() of load.mjs takes on a machine where a frame of the conversation takes 12

/** How much slower than an ordinary machine this one is, at least 1. */
export const slowness = (pace) => Math.max(1, pace / ordinary);

/**
 * What a frame may cost at p95, in milliseconds, before something is wrong with the page. 32 are the aim, which is read in what a run
 * prints: who else uses the machine takes its caches, too, and work that grows with the conversation takes far more than four times the aim.
 */
export const mostOfFrame = 128;

const frame = 1000 / 60; // milliseconds

/** Tasks of the page's own thread, frames, and what all threads of its process did from one frame to the next. */
function measure(events) {
  const { pid, tid, ts } = events.find((e) => e.name === begins);
  const own = events.filter((e) => e.pid === pid && e.ts >= ts && e.tdur !== undefined).sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const whole = own.filter((e) => /^(ThreadControllerImpl::RunTask|ThreadPool_RunTask)$/.test(e.name));
  const tasks = whole.filter((e) => e.tid === tid);
  const drawn = own.filter((e) => e.tid === tid && e.name === 'FireAnimationFrame');
  const ends = [];
  const draws = []; // what the task of each frame itself costs
  let d = 0;
  for (const t of tasks) {
    const end = t.ts + t.dur;
    while (d < drawn.length && drawn[d].ts < t.ts) d++;
    if (d < drawn.length && drawn[d].ts <= end) {
      ends.push(end);
      draws.push(t.tdur / 1000);
    }
  }
  const frames = new Array(ends.length).fill(0);
  const mine = new Array(ends.length).fill(0);
  let f = 0;
  for (const t of whole) {
    while (f < ends.length && t.ts > ends[f]) f++;
    if (f === ends.length) break;
    frames[f] += t.tdur / 1000;
    if (t.tid === tid) mine[f] += t.tdur / 1000;
  }
  // Where others have the processor a frame comes late, and finds what would have been shared by those that did not come.
  const cost = frames.map((all, i) => {
    const idle = (ends[i] - (ends[i - 1] ?? ts)) / 1000 - mine[i];
    return draws[i] + (all - draws[i]) / Math.max(1, Math.floor(idle / frame));
  });
  const longest = tasks.reduce((a, b) => (b.tdur > a.tdur ? b : a), { tdur: 0, ts: 0, dur: 0 });
  const parts = {};
  for (const e of own) if (e.tid === tid && e !== longest && e.ts >= longest.ts && e.ts + e.dur <= longest.ts + longest.dur) parts[e.name] = (parts[e.name] ?? 0) + e.tdur / 1000;
  return {
    frames: frames.length, p95: p95(cost), gathered: p95(frames), worst: Math.max(0, ...frames), own: p95(mine), longest: longest.tdur / 1000, wall: longest.dur / 1000,
    made: Object.entries(parts).sort((a, b) => b[1] - a[1]).slice(0, 6).map(([name, ms]) => `${name} ${ms.toFixed(0)}`).join(', '),
    used: tasks.reduce((sum, t) => sum + t.tdur, 0) / 1000,
  };
}

const p95 = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;
