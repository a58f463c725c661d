// Bundles the extension (dist/extension.js, for Node), what runs in its web views
// (dist/page/*.js and .css, for the browser), and with --tests each test into out/.
import * as esbuild from 'esbuild';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const production = process.argv.includes('--production');
const common = { bundle: true, metafile: true, logLevel: 'warning', sourcemap: production ? false : 'linked', minify: production, legalComments: 'none' };
const host = { ...common, platform: 'node', target: 'node20', format: 'cjs', external: ['vscode'], mainFields: ['module', 'main'] };

rmSync('dist', { recursive: true, force: true });
// The language client is most of the code and is not needed to activate: it stays a file
// of its own, which is read when the process is started.
const apart = { name: 'apart', setup: (build) => build.onResolve({ filter: /^\.\/connection$/ }, () => ({ path: './connection.js', external: true })) };
const built = [
  await esbuild.build({ ...host, entryPoints: { extension: 'src/extension.ts' }, outdir: 'dist', plugins: [apart] }),
  await esbuild.build({ ...host, entryPoints: { connection: 'src/sidecar/connection.ts' }, outdir: 'dist' }),
  await esbuild.build({
    ...common, platform: 'browser', target: 'chrome122', format: 'iife', outdir: 'dist/page',
    entryPoints: { chat: 'src/page/main.ts', settings: 'src/settings/page/main.ts' },
  }),
];
mkdirSync('dist/page', { recursive: true });
for (const file of ['codicon.css', 'codicon.ttf']) cpSync(`node_modules/@vscode/codicons/dist/${file}`, `dist/page/${file}`);
writeFileSync('dist/THIRD_PARTY.txt', licences([...new Set(built.flatMap((b) => Object.keys(b.metafile.inputs))), 'node_modules/@vscode/codicons/']));

if (process.argv.includes('--tests')) {
  rmSync('out', { recursive: true, force: true });
  await esbuild.build({ ...host, entryPoints: readdirSync('test/unit', { recursive: true }).filter((f) => f.endsWith('.test.ts')).map((f) => `test/unit/${f}`), outdir: 'out/test', outbase: 'test', external: ['vscode', 'mocha'] });
}

/** The licences of the packages that have code in the bundles. */
function licences(inputs) {
  const packages = new Set(inputs.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]).filter(Boolean));
  return [...packages].sort().map((dir) => {
    const { name, version, license } = JSON.parse(readFileSync(`${dir}/package.json`, 'utf8'));
    const file = readdirSync(dir).find((f) => /^licen[cs]e/i.test(f) && existsSync(`${dir}/${f}`));
    return `${name} ${version} (${license})\n\n${file ? readFileSync(`${dir}/${file}`, 'utf8').trim() : ''}\n`;
  }).join(`\n${'-'.repeat(80)}\n\n`);
}
