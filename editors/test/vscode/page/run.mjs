#!/usr/bin/env node
// The chat page alone, in Chromium: with the real sidecar and a scripted model, in four
// palettes, under load. One line a check; the exit code says whether all hold.
//
//   node run.mjs --chromium PROGRAM --out DIR [--driver DIR] [--sidecar PROGRAM --scripted PROGRAM] [--only NAME]
//
// --driver is a folder with node_modules/playwright-core (and axe-core, else that of the
// extension is taken). Without --sidecar and --scripted both are built.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from '../browser.mjs';
import { failed, is } from '../checks.mjs';
import { extension, serve } from './stage.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const top = resolve(here, '../../../..');
const vscode = join(top, 'editors/vscode');
const args = Object.fromEntries(process.argv.slice(2).join(' ').split(/(?:^| )--/).filter(Boolean).map((a) => { const [k, ...v] = a.split(' '); return [k, v.join(' ')]; }));
const out = resolve(args.out ?? '.test-page');
mkdirSync(out, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'page-'));

const from = (folder, name) => createRequire(join(resolve(folder), 'x.js')).resolve(name);
const driver = args.driver ?? process.env.DRIVER ?? vscode;
const { chromium } = createRequire(import.meta.url)(from(driver, 'playwright-core'));
const axe = readFileSync([driver, vscode].map((f) => join(resolve(f), 'node_modules/axe-core/axe.min.js')).find(existsSync), 'utf8');
const go = (name, pkg) => {
  execFileSync('go', ['build', '-o', join(work, name), pkg], { cwd: top, stdio: 'inherit' });
  return join(work, name);
};
const sidecar = args.sidecar ?? process.env.SIDECAR ?? go('agent-sidecar', './cmd/agent-sidecar');
const scripted = args.scripted ?? process.env.SCRIPTED ?? go('scripted', './testclient/scripted');

const esbuild = createRequire(join(vscode, 'x.js'))('esbuild');
const dist = join(work, 'dist');
await esbuild.build({ entryPoints: { chat: join(vscode, 'src/page/main.ts') }, outdir: dist, bundle: true, minify: true, platform: 'browser', target: 'chrome122', format: 'iife', legalComments: 'none', logLevel: 'warning' });
// What lies between the page and the sidecar in the extension, so that what it does not let through is missed here.
await esbuild.build({ stdin: { contents: "export { relay } from './relay'; export { fromPage } from './read';", resolveDir: join(vscode, 'src/chat'), loader: 'ts' }, outfile: join(work, 'relay.mjs'), bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' });
Object.assign(extension, await import(join(work, 'relay.mjs')));
for (const f of ['codicon.css', 'codicon.ttf']) await import('node:fs').then((fs) => fs.copyFileSync(join(vscode, 'node_modules/@vscode/codicons/dist', f), join(dist, f)));

const palettes = JSON.parse(readFileSync(join(here, 'palettes.json'), 'utf8'));
const server = await serve(dist, palettes);
const program = args.chromium ?? process.env.CHROMIUM;
const browsers = [await launch(chromium, program), await launch(chromium, program)];
const hall = { browser: browsers[0], url: server.url, out, work, sidecar, scripted, axe, themes: Object.keys(palettes), here };
// Alone, the other parts take what was recorded the last time.
if (args.only && existsSync(join(out, 'recorded.json'))) hall.recorded = JSON.parse(readFileSync(join(out, 'recorded.json'), 'utf8'));
const play = async (names, browser) => {
  for (const name of names) {
    if (args.only && args.only !== name) continue;
    try {
      await (await import(`./${name}.mjs`)).default(browser ? { ...hall, browser } : hall);
    } catch (e) {
      is(`page: ${name} comes to its end`, false, e?.stack ?? e);
    }
  }
};
try {
  await play(['main']); // which records what the others show
  // What the page uses is measured on its own threads, so the rest can be played beside it, in another browser.
  await Promise.all([play(['care', 'consent', 'cards', 'looks']), play(['speed'], browsers[1])]);
} finally {
  for (const browser of browsers) await browser.close();
  server.end();
  rmSync(work, { recursive: true, force: true });
}
process.exit(failed() ? 1 : 0);
