// A window of the real VS Code in Chromium, and what a person does in it. The class names are VS Code's own and hold from 1.100 to 1.139.
import { createRequire } from 'node:module';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './checks.mjs';

const { chromium } = createRequire(join(process.env.DRIVER, 'package.json'))('playwright-core');
const wait = 30_000; // a loaded machine of two cores is slow to show a workbench

/** One for all windows of a scenario. */
export async function launch(program) {
  return chromium.launch({
    executablePath: program, headless: true, timeout: wait,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
      '--disable-sync', '--disable-dev-shm-usage'],
  });
}

export class Workbench {
  constructor(browser, server, { folder, logs, name = '', width = 1280, height = 800 }) {
    Object.assign(this, { browser, server, folder, logs, name, viewport: { width, height } });
    this.shots = 0;
    this.strangers = new Set(); // hosts that the window asked for something, other than its own
  }

  /** Opens the folder. parameters: more of the address, as VS Code's web page understands them; prepare: what to do with the empty page. */
  async open(parameters = {}, prepare = async () => {}) {
    this.context ??= await this.browser.newContext({ viewport: this.viewport, permissions: ['clipboard-read', 'clipboard-write'] });
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(wait);
    const say = (text) => appendFileSync(join(this.logs, `browser${this.name}.log`), text + '\n');
    this.page.on('console', (m) => say(`${m.type()} ${m.text()}`));
    this.page.on('pageerror', (e) => say(`pageerror ${e.message}`));
    this.page.on('request', (r) => {
      const { hostname, protocol } = new URL(r.url());
      if (/^(https?|wss?):$/.test(protocol) && hostname !== '127.0.0.1') this.strangers.add(hostname);
    });
    await prepare(this.page);
    const address = new URLSearchParams({ ...(this.folder ? { folder: this.folder } : {}), ...parameters });
    await this.page.goto(`${this.server.url}/?${address}`);
    await this.ready();
    return this;
  }

  async ready() {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
    await this.page.locator('.monaco-workbench .explorer-folders-view, .monaco-workbench .part.sidebar').first().waitFor({ state: 'attached' });
  }

  /** Closes the window as a person closes a tab. */
  async close() { await this.page?.close(); }

  async screenshot(what) {
    const dir = join(this.logs, 'screenshots');
    mkdirSync(dir, { recursive: true });
    const file = `${String(++this.shots).padStart(2, '0')}${this.name} ${what.replace(/[^\w]+/g, '-').slice(0, 60)}.png`;
    await this.page.screenshot({ path: join(dir, file), timeout: 10_000 });
  }

  /** The palette: types what a person would and takes the command of this title. It is opened anew until it knows the command. */
  async command(title) {
    const row = this.quickInput.locator('.monaco-list-row').filter({ hasText: title }).first();
    await until(async () => {
      await this.page.keyboard.press('F1');
      await this.quickInput.locator('input').first().fill(`>${title}`, { timeout: 5_000 }).catch(() => {});
      if (await row.waitFor({ timeout: 2_000 }).then(() => true, () => false)) return true;
      await this.page.keyboard.press('Escape');
      return false;
    }, `the palette has no ${title}`, wait);
    await this.page.keyboard.press('Enter');
  }

  /** What the palette calls a command of the extension, by its name without `agentSidecar.`. */
  title(name) {
    const file = this.server.language ? `package.nls.${this.server.language}.json` : 'package.nls.json';
    const words = JSON.parse(readFileSync(join(process.env.TOP, 'editors/vscode', file), 'utf8'));
    return `${words.category}: ${words[`command.${name}`]}`;
  }

  /** The quick pick or input box that is open. */
  get quickInput() { return this.page.locator('.quick-input-widget:visible'); }

  /** Takes the entry of the open quick pick that holds the text. */
  async pick(text) {
    const row = this.quickInput.locator('.monaco-list-row').filter({ hasText: text }).first();
    await row.waitFor();
    await row.click();
  }

  /** Types into the open input box and says yes. */
  async answer(text) {
    await this.quickInput.locator('input').first().fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** By its whole path, which needs no search: the oldest VS Code here lacks the program for that. */
  async openFile(name) {
    const first = this.quickInput.locator('.monaco-list-row').first();
    await until(async () => {
      await this.page.keyboard.press('Control+P');
      await this.quickInput.locator('input').first().fill(join(this.folder, name), { timeout: 5_000 }).catch(() => {});
      await first.filter({ hasText: name }).waitFor({ timeout: 5_000 }).catch(() => {}); // what was open before is listed until then
      await this.page.keyboard.press('Enter');
      return this.activeTab(name).waitFor({ timeout: 5_000 }).then(() => true, () => false);
    }, `${name} does not open`, wait);
  }

  activeTab(name) { return this.page.locator('.editor-group-container.active .tab.active').filter({ hasText: name }).first(); }
  tab(name) { return this.page.locator('.tabs-container .tab').filter({ hasText: name }).first(); }

  /** The text of the active editor as it shows it. */
  editor() { return this.page.locator('.editor-group-container.active .monaco-editor .view-lines').first(); }

  /** What the light bulb offers where the cursor is: opens the menu and gives its rows. */
  async lightBulb() {
    await this.editor().click();
    await this.page.keyboard.press('Control+Home');
    await this.page.locator('[class*="codicon-light-bulb"], [class*="codicon-gutter-lightbulb"]').first().waitFor();
    await this.page.keyboard.press('Control+.');
    const menu = this.page.locator('.action-widget').first();
    await menu.waitFor();
    return menu;
  }

  /** Takes a row of the light bulb's menu. The older VS Code covers the menu until the mouse moves, so it is moved by hand. */
  async take(title) {
    const row = this.page.locator('.action-widget .monaco-list-row').filter({ hasText: title }).first();
    await row.waitFor();
    const { x, y, height } = await row.boundingBox();
    await this.page.mouse.move(x + 12, y + height / 2);
    await this.page.mouse.move(x + 16, y + height / 2 + 1);
    await this.page.mouse.click(x + 16, y + height / 2 + 1);
  }

  notification(text) { return this.page.locator('.notifications-toasts .notification-toast').filter({ hasText: text }).first(); }
  /** The yes of a modal dialog that says the text. */
  async agree(text) { await this.dialog(text).locator('.dialog-buttons .monaco-button:not(.secondary)').first().click(); }
  dialog(text) { return this.page.locator('.monaco-dialog-box').filter({ hasText: text }).first(); }
  status(text) { return this.page.locator('.part.statusbar .statusbar-item').filter({ hasText: text }).first(); }

  /** The document inside a web view of the extension: the page lies two frames deep. */
  webview(extension = 'agent-sidecar.agent-sidecar') {
    return this.page.frameLocator(`iframe.webview[src*="extensionId=${extension}"]`).frameLocator('#active-frame');
  }

  /** Developer: Reload Window. The sidecar of the old window ends, and the new window has its own. */
  async reload() {
    const loaded = this.page.waitForEvent('domcontentloaded');
    await this.command('Developer: Reload Window');
    await loaded;
    await this.ready();
  }
}
