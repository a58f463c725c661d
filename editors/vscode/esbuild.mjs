// Bundles the extension (dist/extension.js, for Node), what runs in its web views
// (dist/page/*.js and .css, for the browser), and with --tests each test into out/.
import * as esbuild from 'esbuild';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';

const production = process.argv.includes('--production');
const common = { bundle: true, logLevel: 'warning', sourcemap: production ? false : 'linked', minify: production, legalComments: 'none' };
const host = { ...common, platform: 'node', target: 'node20', format: 'cjs', external: ['vscode'], mainFields: ['module', 'main'] };

rmSync('dist', { recursive: true, force: true });
await esbuild.build({ ...host, entryPoints: { extension: 'src/extension.ts' }, outdir: 'dist' });
await esbuild.build({
  ...common, platform: 'browser', target: 'chrome122', format: 'iife', outdir: 'dist/page',
  entryPoints: { chat: 'src/page/main.ts', settings: 'src/settings/page/main.ts' },
});
mkdirSync('dist/page', { recursive: true });
for (const file of ['codicon.css', 'codicon.ttf']) cpSync(`node_modules/@vscode/codicons/dist/${file}`, `dist/page/${file}`);

if (process.argv.includes('--tests')) {
  rmSync('out', { recursive: true, force: true });
  await esbuild.build({ ...host, entryPoints: readdirSync('test/unit', { recursive: true }).filter((f) => f.endsWith('.test.ts')).map((f) => `test/unit/${f}`), outdir: 'out/test', outbase: 'test', external: ['vscode', 'mocha'] });
}
