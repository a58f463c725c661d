// Questions where the chat is not looked at: a notification that offers no yes and goes when the question is answered elsewhere, the
// review of several files, the list of questions. Then what an answer may lead to: files outside of the workspace and links are asked
// about, code is put where the cursor is, full access is confirmed.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, says, until } from '../checks.mjs';

export default async (stage) => {
  const file = (name) => join(stage.workspace, name);
  mkdirSync(file('dir'));
  writeFileSync(file('dir/a b.txt'), 'b\n');
  writeFileSync(file('code.txt'), '\n');
  symlinkSync(join(stage.dir, 'elsewhere'), file('out'));
  writeFileSync(join(process.env.HOME, '.agent-sidecar/config.jsonc'),
    JSON.stringify({ agents: { runtime: { permission: { rules: [{ domain: 'edit', pattern: 'vault:**', decision: 'ask' }] } } } }));
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  const toast = page.locator('.notifications-toasts .notification-toast').filter({ hasText: 'The agent asks' });
  const links = toast.locator('.notification-list-item-message a');
  // A question that came before the editor knew which session the chat shows has a notification that is taken back, and VS Code leaves
  // it there for a moment: two of one question can stand below each other.
  const link = (text) => links.filter({ hasText: text }).first();

  await must('while the chat is hidden, a question is a notification', async () => {
    await chat.focus();
    await chat.say('Change both.');
    await page.locator('.activitybar .action-item').first().click();
    await link('Review').waitFor();
    await window.screenshot('the notification');
    const words = (await toast.allInnerTexts()).join();
    is('it offers no yes', !/allow|always/i.test(words), words);
    const made = (await links.allInnerTexts()).join();
    is('what the question is called makes no link', /^(Review,Reject,Open Chat(,|$))+$/.test(made), made);
  });
  await must('its review is pinned', async () => {
    await link('Review').click();
    await window.activeTab('.diff').waitFor();
    await window.command('View: Pin Editor');
    await page.locator('.tab.sticky', { hasText: '.diff' }).waitFor();
  });
  await must('its no is a no', async () => {
    await link('Reject').click();
    await stage.wire.event('approval.resolved', (e) => e.data.decision === 'reject');
    is('nothing was run', !existsSync(file('[x](command:workbench.action.quit).txt')));
  });
  await must('the next question is another notification, and its review has every file', async () => {
    await toast.filter({ hasText: 'patch' }).locator('.notification-list-item-message a', { hasText: 'Review' }).click(); // the one before may still fade
    await page.locator('.multiDiffEntry').nth(1).waitFor();
    await page.locator('.multiDiffEntry', { hasText: 'a b.txt' }).first().waitFor();
    is('none is taken for a rename', await page.locator('.multiDiffEntry .status', { hasText: 'R' }).count() === 0);
    await window.screenshot('the review of two files');
  });
  await must('answered from the list of questions, the notification goes', async () => {
    await window.command(window.title('approvals'));
    await window.pick('Allow once');
    await says(file('note.txt'), 'as it is\n');
    await says(file('dir/a b.txt'), 'c\n');
    await until(async () => await toast.count() === 0);
  });
  await check('so does the tab of its review', () => window.tab('Review').waitFor({ state: 'detached' }));
  is('what is pinned stays', await page.locator('.tab.sticky', { hasText: '.diff' }).count() === 1);

  await must('the chat has the answer', async () => {
    await chat.focus();
    await chat.answer('Both are changed').waitFor();
    await chat.idle();
  });
  const answer = chat.answer('Both are changed');
  is('no command is a link', await answer.locator('a[href^="command:"], a[data-href^="command:"]').count() === 0);
  await check('a file behind a link that leads outside is asked about by where it is', async () => {
    await answer.locator('a[data-path="out/other.txt"]').click();
    await window.dialog(join(stage.dir, 'elsewhere/other.txt')).waitFor();
    await page.keyboard.press('Escape');
    await window.dialog('outside').waitFor({ state: 'detached' });
    is('it is not open', await window.tab('other.txt').count() === 0);
  });
  await check('a link of the web is asked about by the editor', async () => {
    await answer.locator('a[href^="https://example.test"]').click();
    await window.dialog('https://example.test/').waitFor();
    await page.keyboard.press('Escape');
    await window.dialog('example.test').waitFor({ state: 'detached' });
  });
  await check('code goes where the cursor is', async () => {
    await window.openFile('code.txt');
    await window.editor().click();
    await chat.page.locator('.row.answer [data-part^="insert"]').first().click();
    await window.editor().getByText('const one = 1;').waitFor();
  });
  await must('full access is confirmed in a dialog', async () => {
    await chat.page.locator('.composer button.mode').click();
    await chat.page.getByRole('menuitemradio', { name: /^Full access/ }).click();
    await window.dialog('full access').waitFor();
    await window.screenshot('full access');
    await window.page.keyboard.press('Enter'); // once too often
    await window.dialog('full access').waitFor({ state: 'detached' });
    await chat.page.locator('.composer button.mode').click();
    await chat.page.getByRole('menuitemradio', { name: /^Full access/ }).click();
    await window.dialog('full access').waitFor();
    is('before, there is none', !stage.wire.text().includes('"confirm":true'));
    await window.agree('full access', 'Give Full Access');
    await stage.wire.event('session.changed', (e) => e.data.mode === 'full_access');
    await window.status('full access').waitFor();
  });
  await check('the command gives it to a session that is yet to be made', async () => {
    await window.command(window.title('newSession'));
    await window.status('full access').waitFor({ state: 'detached' });
    await window.command(window.title('switchMode'));
    await window.pick('Asks nothing');
    await window.agree('full access', 'Give Full Access');
    await window.status('full access').waitFor();
  });
  await window.close();
};
