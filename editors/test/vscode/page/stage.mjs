// The page alone in Chromium, and what the extension is to it played by this process: the
// document with the extension's own policy, the palette of an editor, the relay.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };

/** The document as the chat view of the extension makes it: no inline style or script may run. */
const html = (theme) => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-n1'; style-src 'self'; font-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'">
<title>agent-sidecar</title>
<link rel="stylesheet" href="/theme-${theme}.css"><link rel="stylesheet" href="/codicon.css"><link rel="stylesheet" href="/chat.css"></head>
<body class="${bodyClass(theme)}"><script nonce="n1" src="/chat.js"></script></body></html>`;
const bodyClass = (theme) => (theme.startsWith('hc') ? `vscode-high-contrast${theme === 'hc-light' ? ' vscode-high-contrast-light' : ''}` : theme.startsWith('light') ? 'vscode-light' : 'vscode-dark');

/** Serves the built page and the palettes; everything else is not found. */
export async function serve(dist, palettes) {
  const server = createServer((req, res) => {
    const path = new URL(req.url, 'http://x').pathname;
    const theme = /^\/theme-([a-z-]+)\.css$/.exec(path)?.[1];
    const page = /^\/([a-z-]+)\.html$/.exec(path)?.[1];
    if (path === '/favicon.ico') return res.writeHead(204).end();
    try {
      const body = theme ? css(palettes[theme]) : page ? html(page) : readFileSync(join(dist, path.replaceAll('..', '')));
      res.writeHead(200, { 'content-type': types[theme ? '.css' : extname(path)] ?? 'application/octet-stream' }).end(body);
    } catch {
      res.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}`, end: () => server.close() };
}

/** What an editor puts around a page: its colours as variables, its fonts, no padding. */
const css = (palette) => `html { --vscode-font-family: system-ui, "Segoe UI", Ubuntu, "Droid Sans", sans-serif; --vscode-font-size: 13px; --vscode-editor-font-family: "DejaVu Sans Mono", monospace; --vscode-editor-font-size: 12px;\n${Object.entries(palette).map(([k, v]) => `${k}: ${v};`).join('\n')} }`;

/** What the extension has between the page and the sidecar: `fromPage` and `relay`. */
export const extension = {};

/** One page with a host behind it. `host` answers requests and actions of the page. */
export async function open(browser, url, { theme = 'dark-modern', width = 400, height = 760, locale = 'en', host = {}, hello = {}, reducedMotion, prepare } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: 1, reducedMotion });
  const page = await context.newPage();
  const heard = [];
  const problems = [];
  page.on('pageerror', (e) => problems.push(String(e)));
  page.on('console', (m) => { if (m.type() === 'error' || /Content Security Policy/.test(m.text())) problems.push(m.text()); });
  const tell = (m) => page.evaluate((x) => window.postMessage(x, '*'), m).catch(() => {});
  const stage = { page, heard, problems, tell, state: undefined, done: (what) => heard.filter((m) => m.type === 'do' && m.action.do === what).map((m) => m.action), close: () => context.close() };
  await page.exposeFunction('toHost', async (m) => {
    heard.push(m);
    if (!extension.fromPage(m)) problems.push(`the extension does not understand ${JSON.stringify(m).slice(0, 300)}`);
    if (m.type === 'ready') {
      await tell({ type: 'hello', locale, strings: {}, sidecar: running(host.capabilities ?? none), ...hello });
      stage.ready?.();
    } else if (m.type === 'state') stage.state = m.state;
    else if (m.type === 'request') {
      const answer = await extension.relay({ request: (method, params) => host.request(method, params) }, m);
      if (answer.error?.kind === 'refused') problems.push(`${m.method}: ${answer.error.message}`);
      await tell(answer);
    } else if (m.type === 'do') {
      try {
        const result = await host.perform?.(m.action, stage);
        await tell({ type: 'answer', id: m.id, result });
      } catch (e) {
        await tell({ type: 'answer', id: m.id, error: { message: e.message, kind: e.data?.kind, data: e.data } });
      }
    }
  });
  await page.addInitScript(() => { globalThis.acquireVsCodeApi = () => ({ postMessage: (m) => globalThis.toHost(JSON.parse(JSON.stringify(m))) }); });
  await prepare?.(page);
  const ready = new Promise((done) => { stage.ready = done; });
  await page.goto(`${url}/${theme}.html`);
  await ready;
  await page.waitForSelector('.app');
  return stage;
}

const none = { version: 1, agents: [{ name: 'build', description: 'Works in this folder', mode: 'primary', readOnly: false }], models: ['box/scripted'], methods: [], approvals: { decisions: [] } };

/** What the extension says of a sidecar that runs and has a model. */
export const running = (capabilities) => ({ state: 'running', trusted: true, capabilities, model: 'box/scripted' });

/** Gathers events as the extension does, and gives them to the page in order. */
export function batch(stage) {
  let events = [];
  let timer;
  return (e) => {
    events.push(e);
    timer ??= setTimeout(() => {
      timer = undefined;
      const now = events;
      events = [];
      void stage.tell({ type: 'events', events: now });
    }, 16);
  };
}
