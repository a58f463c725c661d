// A VS Code without a screen: code-server, with a user's folder of its own. It stays in the process group of whoever started it.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, createWriteStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { read, until } from './checks.mjs';

const quiet = {
  'workbench.startupEditor': 'none', 'workbench.enableExperiments': false, 'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden', 'telemetry.telemetryLevel': 'off', 'chat.disableAIFeatures': true,
  'update.mode': 'none', 'extensions.autoUpdate': false, 'extensions.autoCheckUpdates': false, 'extensions.ignoreRecommendations': true,
  'git.enabled': false, 'files.simpleDialog.enable': true, 'security.workspace.trust.startupPrompt': 'never',
};

/**
 * settings: the user's; machine: those that only the machine on which the extension runs may have; language: the display language;
 * trust: whether Workspace Trust is on (it is then restricted until somebody trusts the folder); extension: the .vsix;
 * oldest: whether it is the oldest VS Code that is supported.
 */
export class Server {
  constructor({ program, dir, logs, extension, settings = {}, machine = {}, language, trust = false, oldest = false }) {
    Object.assign(this, { program, dir, logs, language, trust, oldest });
    this.data = join(dir, 'user');
    this.extensions = join(dir, 'extensions');
    for (const d of ['User', 'Machine']) mkdirSync(join(this.data, d), { recursive: true });
    writeFileSync(join(this.data, 'User/settings.json'), JSON.stringify({ ...quiet, ...settings }, null, 2));
    writeFileSync(join(this.data, 'Machine/settings.json'), JSON.stringify(machine, null, 2));
    if (language) this.#speak(language);
    if (extension) this.#install(extension);
  }

  // What the installation of a language pack leaves. The pack is empty, so the editor's own words stay English; the language is what
  // extensions see, and their words are what is tested.
  #speak(language) {
    const words = join(this.dir, 'language.json');
    writeFileSync(words, JSON.stringify({ '': [], version: '1.0.0', contents: {} }));
    writeFileSync(join(this.data, 'languagepacks.json'), JSON.stringify({
      [language]: { hash: 'test', label: language, extensions: [{ extensionIdentifier: { id: 'test.language' }, version: '1.0.0' }], translations: { vscode: words } },
    }));
  }

  #arguments(more) {
    return ['--config', '/dev/null', '--user-data-dir', this.data, '--extensions-dir', this.extensions, ...more];
  }

  get #environment() {
    return { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":""}' };
  }

  #install(vsix) {
    mkdirSync(this.extensions, { recursive: true });
    const done = spawnSync(this.program, this.#arguments(['--install-extension', vsix]), { env: this.#environment, encoding: 'utf8', timeout: 180_000 });
    if (done.status !== 0) throw new Error(`${vsix} is not installed: ${done.stdout}${done.stderr}`);
  }

  async start() {
    const log = createWriteStream(join(this.logs, 'code-server.log'), { flags: 'a' });
    this.process = spawn(this.program, this.#arguments([
      '--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override',
      '--ignore-last-opened', ...(this.trust ? [] : ['--disable-workspace-trust']), ...(this.language ? ['--locale', this.language] : []),
      ...(this.oldest ? [] : ['--reconnection-grace-time', '3']), // seconds until a window that was closed counts as gone; 3 hours without
    ]), { env: this.#environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.process.stdout.pipe(log);
    this.process.stderr.pipe(log);
    const address = /listening on (http:\/\/127\.0\.0\.1:\d+)/;
    this.url = await until(() => address.exec(read(join(this.logs, 'code-server.log')))?.[1], 'code-server does not listen', 90_000);
    this.port = new URL(this.url).port;
  }

  /** What the editor wrote into its own logs, to keep. */
  async stop() {
    if (!this.process || this.process.exitCode !== null) return;
    const gone = new Promise((done) => this.process.once('exit', done));
    this.process.kill('SIGTERM');
    const late = setTimeout(() => this.process.kill('SIGKILL'), 30_000);
    await gone;
    clearTimeout(late);
    if (existsSync(join(this.data, 'logs'))) cpSync(join(this.data, 'logs'), join(this.logs, 'editor'), { recursive: true });
  }
}
