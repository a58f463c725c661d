// The selector of the mode where there is little room, in the editor's light and dark: what it offers, what a new session begins in, and
// what full access leaves behind.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must } from '../checks.mjs';

const themes = { 'Dark Modern': 'vscode-dark', 'Light Modern': 'vscode-light' };

export default async (stage) => {
  const own = (name) => join(process.env.HOME, '.agent-sidecar', name);
  const begins = (mode) => writeFileSync(own('config.jsonc'), JSON.stringify({ agents: { runtime: { mode: { default: mode } } } }));
  mkdirSync(own('agents'), { recursive: true });
  writeFileSync(own('agents/reviewer.md'), '---\nname: reviewer\ndescription: Reads one file and says what is wrong with it, the worst first.\nmode: primary\ntools: [read, grep]\n---\n\nJudge.\n');
  begins('ask');
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  const { width } = await page.locator('.part.sidebar').boundingBox();
  await window.widen(300 - width);

  const button = chat.page.locator('.composer .mode');
  const shows = (word) => button.filter({ hasText: word }).waitFor();
  const choose = async (name) => {
    await button.click();
    await chat.page.getByRole('menuitemradio', { name: new RegExp(`^${name}`) }).click();
  };
  const oneRow = async (what) => {
    const middles = await chat.page.locator('.composer .tools button:visible').evaluateAll((all) => all.map((b) => b.getBoundingClientRect()).map((r) => Math.round(r.top + r.height / 2)));
    is(`${what}: all below the prompt is one row`, middles.length > 2 && Math.max(...middles) - Math.min(...middles) < 6, middles);
  };

  await check('one row stands above the chat: what it is, a new session, the sessions', async () => {
    const top = await chat.page.locator('.conversation').evaluate((e) => e.getBoundingClientRect().top);
    const [row, frame] = [await page.locator('.part.sidebar .composite.title').boundingBox(), await page.locator('iframe.webview').boundingBox()];
    is('the row of the view is all there is', frame.y + top <= row.y + row.height + 12, `${row.y} ${row.height} ${frame.y} ${top}`);
    for (const name of ['newSession', 'listSessions']) is(`${name} is in it`, await window.row(name).isVisible());
    await window.row('listSessions').click();
    await chat.page.locator('.sessions .search').waitFor();
    await window.row('listSessions').click();
    await chat.page.locator('.composer textarea.box:focus').waitFor();
  });
  await check('a new session begins as the configuration says, and says what it will ask', async () => {
    await shows('Ask');
    await chat.page.locator('.empty', { hasText: 'I ask before edits and commands' }).waitFor();
  });
  for (const name of Object.keys(themes)) {
    await window.command('Preferences: Color Theme');
    await window.choose(name);
    await chat.page.locator(`body.${themes[name]}`).waitFor();
    await oneRow(name);
    await button.click();
    await chat.page.locator('.menu-item').first().waitFor();
    await window.screenshot(`${name}, the modes`);
    await page.keyboard.press('Escape');
  }
  for (const [name, asks] of [['Edit', 'I edit files in this folder directly'], ['Plan', 'I change nothing'], ['reviewer', 'I ']]) {
    await check(`${name} is chosen before there is a session`, async () => {
      await choose(name);
      await shows(name);
      await chat.page.locator('.empty', { hasText: asks }).waitFor();
    });
  }
  is('no session was begun for it', stage.wire.sent('agent/session/new').length === 0);
  await check('another new one is as the configuration is by now', async () => {
    await chat.fresh();
    begins('agent');
    await shows('Edit');
  });
  await must('full access has the colour of a warning', async () => {
    await choose('Full access');
    await window.agree('full access', 'Give Full Access');
    await chat.page.locator('.composer .mode.full').waitFor();
    await window.status('full access').waitFor();
    await oneRow('full access');
    await window.screenshot('full access');
  });
  await check('an own agent does not keep it', async () => {
    await choose('reviewer');
    await shows('reviewer');
    await stage.wire.event('session.changed', (e) => e.data.agent === 'reviewer' && e.data.mode === 'agent');
    await window.status('full access').waitFor({ state: 'detached' });
  });
  await window.close();
};
