// What stands beside the chat, and when: no mark in a file that a command has nothing to do with, the mode in the status bar and
// on the page, the tab of a review that goes with its question, and the sidecar's documents after the window was loaded again.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, says } from '../checks.mjs';

export default async (stage) => {
  const note = join(stage.workspace, 'note.txt');
  writeFileSync(join(process.env.HOME, '.agent-sidecar/config.jsonc'),
    JSON.stringify({ agents: { runtime: { permission: { rules: [{ domain: 'edit', pattern: 'vault:**', decision: 'ask' }] } } } }));
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  await window.widen(120);
  await must('a command is asked about while no file is open', async () => {
    await chat.say('Count.');
    await chat.question('seq 1 20000').waitFor();
  });
  await check('the status bar says so', () => window.status('1 question').waitFor());
  await must('a file that is opened then has no mark: the command has nothing to do with it', async () => {
    await window.openFile('note.txt');
    is('no lens', await page.locator('.codelens-decoration').count() === 0);
    is('no underline', await page.locator('.squiggly-info').count() === 0);
  });
  await must('it answers', async () => {
    await chat.decide(chat.question('seq 1 20000'), 'once');
    await chat.call('c1').locator('.badge.truncated').waitFor();
  });
  await must('the next one is reviewed', async () => {
    const question = chat.question('note.txt');
    await question.waitFor();
    await chat.decide(question, 'review');
    await page.locator('.tab.active', { hasText: 'Review' }).waitFor();
    await window.screenshot('review');
  });
  await must('answered, its tab goes', async () => {
    await chat.decide(chat.question('note.txt'), 'once');
    await says(note, 'as it is\n');
    await chat.answer('Both are done').waitFor();
    await chat.idle();
    await window.screenshot('answered');
    await page.locator('.tab', { hasText: 'Review' }).waitFor({ state: 'detached' });
  });

  const mode = async (name) => {
    await chat.page.locator('.composer button.mode').click();
    await chat.page.getByRole('menuitemradio', { name: new RegExp(`^${name}`) }).click();
  };
  await must('full access that is not confirmed is not there', async () => {
    await mode('Full access');
    await window.dialog('full access').waitFor();
    await page.keyboard.press('Escape');
    await window.dialog('full access').waitFor({ state: 'detached' });
    is('not in the status bar', await window.status('full access').count() === 0);
    is('not at the prompt', await chat.page.locator('.composer button.mode.full').count() === 0);
  });
  await must('confirmed, it shows in the status bar and at the prompt', async () => {
    await mode('Full access');
    await window.agree('full access', 'Give Full Access');
    await window.status('full access').waitFor();
    await chat.page.locator('.composer button.mode.full').waitFor();
    await window.screenshot('full access');
  });
  await must('set back, it shows nowhere', async () => {
    await mode('Edit');
    await window.status('full access').waitFor({ state: 'detached' });
    await chat.page.locator('.composer button.mode.full').waitFor({ state: 'detached' });
  });
  await must('for a session that has not begun it is asked about at once, too', async () => {
    await chat.fresh();
    await mode('Full access');
    await window.dialog('full access').waitFor();
    await window.agree('full access', 'Give Full Access');
    await chat.page.locator('.composer button.mode.full').waitFor();
    await window.status('full access').waitFor();
  });
  await window.screenshot('full access in a new session');

  await must('when the window is loaded again, no tab is left that cannot be shown', async () => {
    await window.command(window.title('sessions'));
    await window.pick('Count.');
    await chat.page.locator('.row.mark', { hasText: 'Edit from here on' }).waitFor();
    await chat.call('c1').scrollIntoViewIfNeeded();
    await chat.call('c1').locator('[data-part="artifact"]').click();
    await page.locator('.tab.active', { hasText: 'bash' }).waitFor();
    await window.reload();
    await chat.focus();
    await chat.answer('Both are done').waitFor();
    await page.locator('.monaco-editor-pane-placeholder').first().waitFor({ state: 'detached' });
    await chat.call('c1').locator('[data-part="artifact"]').click();
    await page.locator('.tab.active', { hasText: 'bash' }).waitFor();
    await page.locator('.editor-group-container.active .view-line', { hasText: /^1$/ }).first().waitFor();
  });
  await window.close();
};
