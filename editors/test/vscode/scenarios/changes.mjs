// What the agent has changed, in the editor's own list: a diff for each file and for all of a run, Keep and Undo for one file, and an
// undo that leaves alone what the person has changed since. Then the sessions: rename, fork, export, delete.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, says, until } from '../checks.mjs';

export default async (stage) => {
  const file = (name) => join(stage.workspace, name);
  mkdirSync(file('dir'));
  writeFileSync(file('old.txt'), 'old\n');
  writeFileSync(file('gone.txt'), 'gone\n');
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  await must('a command changes four files', async () => {
    await chat.say('Change things.');
    const question = chat.question('note.txt');
    await question.waitFor();
    await chat.decide(question, 'once');
    await chat.answer('The things are changed').waitFor();
    await chat.idle();
  });

  const row = (text) => page.locator('.pane .monaco-list-row').filter({ hasText: text }).first();
  const button = async (text, what) => {
    await row(text).hover();
    await row(text).locator(`.action-label[aria-label^="${what}"]`).click();
  };
  await must('the list of the editor has them', async () => {
    await window.command(window.title('changes.show'));
    for (const name of ['moved.txt', 'gone.txt', 'new.txt', 'note.txt']) await row(name).waitFor();
  });
  await check('all of the run open as diffs, each under its own name', async () => {
    await button('Change things.', 'Open Changes');
    await page.locator('.multiDiffEntry').nth(3).waitFor();
    is('none is taken for a rename', await page.locator('.multiDiffEntry .status', { hasText: 'R' }).count() === 0);
    await window.screenshot('the diffs of a run');
  });
  await check('a file that was only moved is shown beside itself', async () => {
    await row('moved.txt').click();
    await page.locator('.tab.active', { hasText: 'moved.txt' }).waitFor();
    await page.locator('.monaco-diff-editor .editor.original .view-line', { hasText: 'old' }).first().waitFor();
  });
  const looks = () => stage.wire.sent('agent/session/changes').length;
  const before = looks();
  await check('“Undo Last Run” names all of its files, and left it undoes none', async () => {
    await window.command(window.title('undoLastRun'));
    for (const name of ['note.txt', 'gone.txt', 'new.txt', 'old.txt']) await window.dialog(name).waitFor();
    await page.keyboard.press('Escape');
    await window.dialog('note.txt').waitFor({ state: 'detached' });
    is('nothing was touched', read(file('note.txt')) === 'as it is\n' && !existsSync(file('gone.txt')));
  });
  await must('one file is undone, and the others are not', async () => {
    await button('gone.txt', 'Undo');
    await window.dialog('gone.txt').waitFor();
    is('the list was not drawn anew for nothing meanwhile, where a click could be lost', looks() === before, `${before}, ${looks()}`);
    await window.agree('gone.txt');
    await says(file('gone.txt'), 'gone\n');
    is('the note is still changed', read(file('note.txt')) === 'as it is\n');
    await row('gone.txt').waitFor({ state: 'detached' });
  });
  await must('one is kept: the list has it no more, and the chat says so', async () => {
    await button('new.txt', 'Keep');
    await row('new.txt').waitFor({ state: 'detached' });
    await chat.change('undo', 'new.txt').waitFor({ state: 'detached' });
  });
  await must('what the person has changed since stays, and the dialog says so', async () => {
    writeFileSync(file('note.txt'), 'mine\n');
    await button('Change things.', 'Undo');
    await window.dialog('note.txt').filter({ hasText: 'stay' }).waitFor();
    await window.screenshot('an undo with a conflict');
    await window.agree('old.txt');
    await until(() => existsSync(file('old.txt')) && !existsSync(file('dir/moved.txt')), 'the file is not moved back');
    is('the line of the person is there', read(file('note.txt')) === 'mine\n');
  });
  await check('“Undo Last Run” says of the same run that nothing more can be undone', async () => {
    await window.command(window.title('undoLastRun'));
    await page.locator('.notification-toast', { hasText: 'Nothing can be undone.' }).filter({ hasText: 'note.txt' }).waitFor();
    is('nothing was touched', read(file('note.txt')) === 'mine\n');
  });

  await must('a session gets a name, and nothing in it is an icon or a link', async () => {
    await window.command(window.title('session.rename'));
    await window.answer('$(bug) [x](command:y)');
    await until(async () => {
      await window.command(window.title('sessions'));
      const shown = await window.quickInput.locator('.monaco-list-row').first().innerText();
      await page.keyboard.press('Escape');
      return shown.includes('$ (bug) [x] (command:y)');
    }, 'the list does not say so');
  });
  await must('it is exported to a file', async () => {
    await window.command(window.title('session.export'));
    await window.pick('Without secrets');
    const input = window.quickInput.locator('input').first();
    await until(async () => (await input.inputValue()).endsWith('.jsonl'), 'no file is asked for');
    await page.keyboard.press('Enter');
    const bundle = await until(() => readdirSync(stage.workspace).find((f) => f.startsWith('session-')), 'there is no file');
    await until(() => read(file(bundle)).includes('"end":true') || read(file(bundle)).includes('"end": true'), 'the file does not end');
  });
  await must('a fork has what was said', async () => {
    await window.command(window.title('session.fork'));
    await stage.wire.request('agent/session/fork');
    const fork = await until(() => stage.wire.events('session.opened').find((e) => e.data.parent)?.sessionId, 'no fork is opened');
    await stage.wire.request('agent/session/resume', (p) => p.sessionId === fork);
    await chat.answer('The things are changed').waitFor();
  });
  await must('deleted, it is gone', async () => {
    await window.command(window.title('session.delete'));
    await window.dialog('Delete the session').waitFor();
    await window.page.keyboard.press('Enter'); // once too often
    await window.dialog('Delete the session').waitFor({ state: 'detached' });
    is('an Enter too many deletes nothing', !stage.wire.text().includes('"method":"agent/session/delete"'));
    await window.command(window.title('session.delete'));
    await window.dialog('Delete the session').locator('.monaco-button', { hasText: /^Delete$/ }).click();
    await stage.wire.request('agent/session/delete');
    await chat.answers.first().waitFor({ state: 'detached' });
  });
  await window.close();
};
