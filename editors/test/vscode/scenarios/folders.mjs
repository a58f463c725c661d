// A workspace of two folders: the agent works in both, what it asks about, says and has changed leads to the right one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, says, until } from '../checks.mjs';

export default async (stage) => {
  const second = join(stage.dir, 'second');
  const file = join(second, 'there.txt');
  mkdirSync(second);
  writeFileSync(file, 'as it was\n');
  writeFileSync(join(stage.dir, 'both.code-workspace'), JSON.stringify({ folders: [{ path: 'workspace' }, { path: 'second' }] }));
  writeFileSync(join(process.env.HOME, '.agent-sidecar/config.jsonc'),
    JSON.stringify({ agents: { runtime: { permission: { rules: [{ domain: 'edit', pattern: 'vault@second:**', decision: 'ask' }] } } } }));
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server, { folder: undefined });
  const { page } = await must('the window opens', () => window.open({ workspace: join(stage.dir, 'both.code-workspace') }));
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  const { params } = await stage.wire.request('initialize');
  is('the sidecar is told of both', params.workspaceFolders?.map((f) => f.name).join() === 'workspace,second', JSON.stringify(params.workspaceFolders));
  await must('@ finds files of both', async () => {
    await chat.box.click();
    await page.keyboard.type('Change @there');
    await chat.page.locator('.mention', { hasText: 'there.txt' }).waitFor();
    await page.keyboard.press('Enter');
    is('by a path that the sidecar knows', (await chat.box.inputValue()).trim() === `Change @${file}`, await chat.box.inputValue());
    await page.keyboard.press('Enter');
  });
  const question = chat.question('there.txt');
  await must('a file of the second is asked about, and reviewed', async () => {
    await question.waitFor();
    await chat.decide(question, 'review');
    await page.locator('.monaco-diff-editor .editor.modified .view-line', { hasText: 'as it is' }).first().waitFor();
    await window.screenshot('review');
  });
  await must('allowed, it is changed there', async () => {
    await chat.decide(question, 'once');
    await says(file, 'as it is\n');
    await chat.answer('It is changed').waitFor();
    await chat.idle();
  });
  await check('the place that the answer names opens it', async () => {
    await chat.answer('It is changed').locator('a[data-path]').first().click();
    await page.locator('.tab.active', { hasText: 'there.txt' }).waitFor();
    await window.editor().getByText('as it is').waitFor();
  });
  await window.screenshot('changed');
  await check('what was changed opens as a diff', async () => {
    await chat.end.locator('[data-part^="diff "]').click();
    await page.locator('.monaco-diff-editor .editor.original .view-line', { hasText: 'as it was' }).first().waitFor();
  });
  await must('it is undone there', async () => {
    await chat.end.locator('[data-part^="undo "]').click();
    await window.agree('there.txt');
    await says(file, 'as it was\n');
  });
  await window.close();
};
