// Packs the extension: a .vsix for one platform with the binary of the checkout inside.
//   npm run package                       for this machine, built now
//   node package.mjs --target linux-arm64 --binary ../../dist/agent-sidecar-linux-arm64 --out ../../dist
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const repository = resolve(here, '../..');
process.chdir(here);

const options = {};
for (let i = 2; i < process.argv.length; i += 2) options[process.argv[i].replace(/^--/, '')] = process.argv[i + 1];
const target = options.target ?? `${process.platform}-${process.arch}`;
const name = target.startsWith('win32') ? 'agent-sidecar.exe' : 'agent-sidecar';
const version = createRequire(import.meta.url)('./package.json').version;
const out = resolve(options.out ?? here, `agent-sidecar-${target}-${version}.vsix`);

rmSync('bin', { recursive: true, force: true });
mkdirSync('bin');
mkdirSync(dirname(out), { recursive: true });
const binary = join('bin', name);
if (options.binary) copyFileSync(options.binary, binary);
else run('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(here, binary), './cmd/agent-sidecar'], { cwd: repository, env: { ...process.env, CGO_ENABLED: '0', ...goPlatform(target) } });
chmodSync(binary, 0o755);
// The licences of what is in the binary go beside it; those of what is in the bundles lie in dist/.
writeFileSync(join('bin', 'THIRD_PARTY.txt'), run('go', ['run', '.ci/licences.go', join(here, binary)], { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] }));
copyFileSync(join(repository, 'LICENSE'), 'LICENSE');
if (!existsSync('dist/extension.js') || options.bundle !== 'no') run(process.execPath, ['esbuild.mjs', '--production']);
run(process.execPath, [join('node_modules', '@vscode', 'vsce', 'vsce'), 'package', '--no-dependencies', '--allow-missing-repository', '--skip-license', '--target', target, '--out', out]);
console.log(out);

/** What Go calls the platform that VS Code calls target. */
function goPlatform(target) {
  const [os, arch] = target.split('-');
  return { GOOS: os === 'win32' ? 'windows' : os, GOARCH: arch === 'x64' ? 'amd64' : arch };
}

function run(command, args, more = {}) {
  const { status, error, stdout } = spawnSync(command, args, { stdio: 'inherit', maxBuffer: 64 * 1024 * 1024, ...more });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
  return stdout;
}
