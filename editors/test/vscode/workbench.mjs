// A window of the real VS Code in Chromium, and what a person does in it. The class names are VS Code's own and hold from 1.100 to 1.139.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { until } from './checks.mjs';

const wait = 60_000; // a loaded machine of two cores is slow to show a workbench, and once in a while stands still

export class Workbench {
  constructor(browser, server, { folder, logs, name = '', width = 1280, height = 800 }) {
    Object.assign(this, { browser, server, folder, logs, name, viewport: { width, height } });
    this.shots = 0;
    this.strangers = new Set(); // hosts that the window asked for something, other than its own and the made up one of web views
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
      if (/^(https?|wss?):$/.test(protocol) && hostname !== '127.0.0.1' && !hostname.endsWith('.vscode-cdn.net')) this.strangers.add(hostname);
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
    await this.page.screenshot({ path: join(dir, file) }).catch((e) => console.error(file, e)); // it is for a reader, and no check
  }

  /** The palette: types what a person would and takes the command of this title. */
  async command(title) { await until(() => this.#quickly('F1', `>${title}`, title), `the palette has no ${title}`, 2 * wait); }

  /** By its whole path, which needs no search: the oldest VS Code here lacks the program for that. */
  async openFile(name) {
    await until(async () => await this.#quickly('Control+P', join(this.folder, name), basename(name))
      && this.activeTab(basename(name)).waitFor({ timeout: 10_000 }).then(() => true, () => false), `${name} does not open`, 2 * wait);
  }

  // One try: a window that is still busy closes the box, or does not know the entry yet.
  async #quickly(key, text, entry) {
    try {
      await this.page.keyboard.press(key);
      await this.quickInput.locator('input').first().fill(text, { timeout: 10_000 });
      await this.#entry(entry).click({ timeout: 5_000 });
      return true;
    } catch {
      await this.page.keyboard.press('Escape');
      return false;
    }
  }

  /** The entry of the open quick pick that is called exactly so. */
  #entry(name) {
    const exactly = new RegExp(`^\\s*${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);
    return this.quickInput.locator('.monaco-list-row').filter({ has: this.page.locator('.label-name').filter({ hasText: exactly }) }).first();
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

  /** Takes the entry of the open quick pick that is called exactly so, and waits until it is closed. */
  async choose(name) {
    await this.quickInput.locator('input').first().fill(name);
    await this.#entry(name).click();
    await this.quickInput.waitFor({ state: 'hidden' });
  }

  /** Types into the open input box and says yes. */
  async answer(text) {
    const input = this.quickInput.locator('input').first();
    await input.fill(text);
    await input.press('Enter');
  }

  /** Makes the side bar so many pixels wider, by dragging its edge. */
  async widen(pixels) {
    const { x, width, y, height } = await this.page.locator('.part.sidebar').boundingBox();
    await this.page.mouse.move(x + width, y + height / 2);
    await this.page.mouse.down();
    await this.page.mouse.move(x + width + pixels, y + height / 2, { steps: 4 });
    await this.page.mouse.up();
  }

  /** A button of the one row above the chat, by its command. */
  row(name) {
    const file = this.server.language ? `package.nls.${this.server.language}.json` : 'package.nls.json';
    const words = JSON.parse(readFileSync(join(process.env.TOP, 'editors/vscode', file), 'utf8'));
    return this.page.locator('.part.sidebar .composite.title').getByRole('button', { name: words[`command.${name}`] });
  }

  /** The steps of the walkthrough. */
  get steps() { return this.page.locator('.gettingStartedContainer .getting-started-step'); }

  /** A step of the walkthrough by its id, as it is: open, done. */
  step(id, as = '') { return this.page.locator(`.getting-started-step[data-step-id$="#${id}"]${as}`); }
  stepOpen(id) { return this.page.locator(`.getting-started-step.expanded[data-step-id$="#${id}"]`); }

  /** Opens the walkthrough and takes one of its ways to a model. */
  async wayToModel(name) {
    await this.command(this.title('openWalkthrough'));
    const first = this.steps.filter({ hasText: 'Give it a model' });
    const button = first.locator('.monaco-button', { hasText: name });
    await until(async () => { // done, the step folds itself a moment after the page is there
      if (!await button.isVisible()) await first.locator('.step-title').click({ timeout: 5_000 }).catch(() => {});
      return button.click({ timeout: 5_000 }).then(() => true, () => false);
    }, `there is no ${name}`);
  }

  activeTab(name) { return this.page.locator('.editor-group-container.active .tab.active').filter({ hasText: name }).first(); }
  tab(name) { return this.page.locator('.tabs-container .tab').filter({ hasText: name }).first(); }

  /** The text of the active editor as it shows it; a diff is none. */
  editor() { return this.page.locator('.editor-group-container.active .monaco-editor:not(.monaco-diff-editor *) .view-lines:visible').first(); }

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

  /** Takes a row of the light bulb's menu with the arrow keys: the mouse is of no use while the older VS Code covers the menu. */
  async take(title) {
    const rows = this.page.locator('.action-widget .monaco-list-row');
    await rows.filter({ hasText: title }).first().waitFor();
    const chosen = this.page.locator('.action-widget .monaco-list-row.focused');
    for (let i = await rows.count(); i >= 0 && !(await chosen.first().innerText()).includes(title); i--) await this.page.keyboard.press('ArrowDown');
    await chosen.filter({ hasText: title }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await rows.first().waitFor({ state: 'detached' });
  }

  /**
   * Takes a row, and waits for what comes of it. A busy VS Code was seen to resolve an action and then to run nothing: a person who
   * sees nothing opens the menu again. `came` is given how long to wait, nothing for as long as usual.
   */
  async takeFor(title, came) {
    await this.take(title);
    try { return await came(15_000); } catch { /* it comes late, or never */ }
    await this.lightBulb().then(() => this.take(title)).catch(() => {}); // it came meanwhile
    return came();
  }

  notification(text) { return this.page.locator('.notifications-toasts .notification-toast').filter({ hasText: text }).first(); }
  /** The yes of a modal dialog that says the text: its first button, or the one of that name where that is not the first. */
  async agree(text, yes) {
    const buttons = this.dialog(text).locator('.dialog-buttons');
    await (yes ? buttons.locator('.monaco-button', { hasText: yes }) : buttons.locator('.monaco-button:not(.secondary)').first()).click();
  }
  dialog(text) { return this.page.locator('.monaco-dialog-box').filter({ hasText: text }).first(); }
  status(text) { return this.page.locator('.part.statusbar .statusbar-item').filter({ hasText: text }).first(); }

  /** The document inside a web view of the extension: the page lies two frames deep. */
  webview(extension = 'agent-sidecar.agent-sidecar', which = '') {
    return this.page.frameLocator(`iframe.webview[src*="extensionId=${extension}"]${which}`).frameLocator('#active-frame');
  }

  /** The chat in a tab of the editor, and what stands in its view then. */
  tabAndView() {
    return [':not([src*="purpose=webviewView"])', '[src*="purpose=webviewView"]'].map((which) => this.webview(undefined, which));
  }

  /** Developer: Reload Window. The sidecar of the old window ends, and the new window has its own. */
  async reload() {
    await Promise.all([this.page.waitForEvent('domcontentloaded', { timeout: 3 * wait }), this.command('Developer: Reload Window')]);
    await this.ready();
  }
}
