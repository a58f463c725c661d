// Back to a prompt with the files: what would change is named, the diffs can be looked at, nothing happens without a yes, and the
// conversation goes on in a fork with the prompt in the box. What the person has changed since stays.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, says, until } from '../checks.mjs';

const themes = { 'Dark Modern': 'vscode-dark', 'Light Modern': 'vscode-light' };

export default async (stage) => {
  const file = (name) => join(stage.workspace, name);
  writeFileSync(file('note.txt'), 'as it was\n');
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  const back = async (prompt) => {
    const row = chat.prompts.filter({ hasText: prompt }).first();
    await row.hover();
    await row.locator('.restore-prompt').click();
  };
  await must('two prompts change files', async () => {
    for (const [prompt, said] of [['Change one.', 'One is changed'], ['Change two.', 'Two are changed']]) {
      await chat.say(prompt);
      await chat.answer(said).waitFor();
      await chat.idle();
    }
    await says(file('note.txt'), 'twice\n');
  });
  const { width } = await page.locator('.part.sidebar').boundingBox();
  await window.widen(300 - width);
  for (const [name, theme] of Object.entries(themes)) {
    await window.command('Preferences: Color Theme');
    await window.choose(name);
    await chat.page.locator(`body.${theme}`).waitFor();
    await check(`${name}: there is room for the buttons of a prompt`, async () => {
      const row = chat.prompts.filter({ hasText: 'Change two.' }).first();
      await row.hover();
      await row.locator('.restore-prompt').waitFor();
      const bubble = await row.locator('.bubble').boundingBox(), tools = await row.locator('.prompt-tools').boundingBox();
      is('they are inside of it', tools.x >= bubble.x && tools.x + tools.width <= bubble.x + bubble.width && tools.y + tools.height <= bubble.y + bubble.height, JSON.stringify([bubble, tools]));
      await window.screenshot(`the buttons of a prompt, ${theme}`);
    });
  }
  await check('what would change is named; Escape changes nothing', async () => {
    await back('Change two.');
    for (const name of ['note.txt', 'other.txt']) await window.dialog('before this prompt').filter({ hasText: name }).waitFor();
    await window.screenshot('what would be restored');
    await page.keyboard.press('Escape');
    await window.dialog('before this prompt').waitFor({ state: 'detached' });
    is('nothing was touched', readFileSync(file('note.txt'), 'utf8') === 'twice\n' && !stage.wire.sent('agent/session/restore').some((m) => m.params.confirm));
  });
  await must('the diffs open, and then yes is a button', async () => {
    await back('Change two.');
    await window.agree('before this prompt', 'Show Changes');
    await page.locator('.multiDiffEntry').nth(1).waitFor();
    await page.locator('.notification-toast', { hasText: 'before this prompt' }).locator('.monaco-button', { hasText: /^Restore$/ }).click();
    await says(file('note.txt'), 'once\n');
    is('a file that was made is gone', await until(() => !existsSync(file('other.txt')), 'the file is still there'));
  });
  await must('the chat shows the fork, with the prompt in its box', async () => {
    await chat.prompts.filter({ hasText: 'Change two.' }).waitFor({ state: 'detached' });
    await chat.prompts.filter({ hasText: 'Change one.' }).waitFor();
    await until(async () => await chat.box.inputValue() === 'Change two.', 'the prompt is not in the box');
    await chat.say('Only say it.');
    await chat.answer('I only say it').waitFor();
    await chat.idle();
  });
  await must('what the person has changed since stays, and the yes says so', async () => {
    writeFileSync(file('note.txt'), 'mine\n');
    await back('Change one.');
    await window.dialog('before this prompt').filter({ hasText: 'note.txt' }).waitFor();
    await window.screenshot('a restore with a conflict');
    await window.agree('before this prompt', 'Restore Without These Files');
    await chat.prompts.first().waitFor({ state: 'detached' });
    is('the line of the person is there', readFileSync(file('note.txt'), 'utf8') === 'mine\n');
  });
  await window.close();
};
