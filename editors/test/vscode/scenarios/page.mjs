// The chat in the real web view: axe in the editor's own themes, and the whole job with the keyboard alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, says } from '../checks.mjs';

const axe = readFileSync(join(process.env.DRIVER, 'node_modules/axe-core/axe.min.js'), 'utf8');
const themes = { 'Light Modern': 'vscode-light', 'Dark Modern': 'vscode-dark', 'Dark High Contrast': 'vscode-high-contrast' }; // and what the page is told of them

/** What axe finds in the page of the web view. */
async function look(chat) {
  const body = chat.page.locator('body');
  // The policy of the page lets no script in, so axe comes from outside, by the debugger.
  await body.evaluate((_, source) => { if (!globalThis.axe) (0, eval)(source); }, axe).catch(async () => {
    const frame = await (await body.elementHandle()).ownerFrame();
    await frame.evaluate(axe);
  });
  const found = await body.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'], rules: { region: { enabled: false } } });
    return violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' ; ')}`);
  });
  return found.join(' | ');
}

export default async (stage) => {
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  await must('the window opens', () => window.open());
  const chat = new Chat(window);
  const keys = window.page.keyboard;
  await must('the keys of the command open the chat, with the prompt box in focus', async () => {
    await chat.focus();
    await chat.box.waitFor();
    await chat.page.locator('.composer textarea.box:focus').waitFor();
  });
  await must('a prompt is typed and sent', async () => {
    await keys.type('Change the note.');
    await keys.press('Enter');
    await chat.question('note.txt').waitFor();
  });

  const theme = async (name) => {
    await window.command('Preferences: Color Theme');
    await window.choose(name);
    await chat.page.locator(`body.${themes[name]}`).waitFor();
  };
  for (const name of Object.keys(themes)) {
    await must(`the theme is ${name}`, () => theme(name));
    await check(`axe finds nothing in ${name}, with a question`, async () => {
      const found = await look(chat);
      if (found) throw new Error(found);
    });
    await window.screenshot(name);
  }

  await must('the question is answered by Tab and Enter alone', async () => {
    await chat.box.focus();
    await keys.press('Alt+ArrowUp'); // from the prompt to the question
    for (let i = 0; i < 12; i++) {
      await keys.press('Tab');
      if (await chat.page.locator('[data-decision="once"]:focus').count()) break;
    }
    await keys.press('Enter');
    await says(join(stage.workspace, 'note.txt'), 'as it is\n');
  });
  await must('the run ends', async () => {
    await chat.answer('Done, see').waitFor();
    await chat.idle();
  });
  await check('its code has colours, and is the same text', async () => {
    const code = chat.page.locator('.row.answer pre.code code');
    await code.last().locator('.code-name').waitFor(); // of the last one
    is('all of it is text', JSON.stringify(await code.allTextContents()) === JSON.stringify(['// one of each colour\nclass One { constructor(readonly a = "x", b = 1) {} }', '-a\n+b', '{"a": 1}']), await code.allTextContents());
    const colours = await code.locator('span').evaluateAll((spans) => Object.fromEntries(spans.map((s) => [s.className, getComputedStyle(s).color])));
    is('each kind has its own', Object.keys(colours).length >= 8 && new Set(Object.values(colours)).size >= 7, JSON.stringify(colours));
  });
  for (const name of Object.keys(themes).reverse()) {
    await check(`axe finds nothing in ${name}, at the end of a run`, async () => {
      await theme(name);
      const found = await look(chat);
      if (found) throw new Error(found);
      await window.screenshot(`${name}, the end`);
    });
  }
  await window.close();
};
