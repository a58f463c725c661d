// An edit at the cursor: some words for a selection are a run of a session of its own; the mark in the file says that it is at work,
// Escape stops it, and what it changed is kept or undone in place. A problem of another extension is given to the agent the same way.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, says, until } from '../checks.mjs';

export default async (stage) => {
  const file = (name) => join(stage.workspace, name);
  writeFileSync(file('code.txt'), 'one\ntwo\nthree\n');
  writeFileSync(file('broken.json'), '{\n  "a": 1,\n}\n');
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  await must('the folder is trusted by a first prompt', async () => {
    await chat.say('Hello.');
    await chat.answer('Hello to you').waitFor();
    await chat.idle();
  });
  const lens = (what) => page.locator('.codelens-decoration a', { hasText: what });
  // It is no text of the document: the editor draws it behind the line.
  const drawn = () => page.evaluate(() => [...document.querySelectorAll('.view-line span')].some((s) => getComputedStyle(s, '::after').content.includes('agent is editing')));
  const mark = (there) => until(async () => await drawn() === there, `the mark is ${there ? 'not there' : 'still there'}`);
  const ask = async (line, words) => {
    await page.locator('.editor-instance .view-line', { hasText: line }).first().click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('i');
    await window.answer(words);
  };
  await must('words for a selection are a run with its lines', async () => {
    await window.openFile('code.txt');
    await ask('two', 'Make it German.');
    await says(file('code.txt'), 'one\nzwei\nthree\n');
    await lens('Keep').first().waitFor();
    await mark(false);
    const run = stage.wire.sent('agent/run').at(-1).params;
    const place = run.prompt.find((b) => b.type === 'resource_link');
    is('the selection went with its text', place?.text === 'two' && place.range.start.line === 1 && run.prompt[0].text === 'Make it German.', JSON.stringify(run));
    is('in a session of its own, which says so', stage.wire.sent('agent/session/new').at(-1).params.title.startsWith('Edit: Make it German.'));
    is('the chat shows its own', await chat.prompts.count() === 1);
  });
  await check('it is undone in place', async () => {
    await lens('Undo').first().click();
    await lens('Keep').first().waitFor({ state: 'detached' });
    await window.command('File: Save');
    await says(file('code.txt'), 'one\ntwo\nthree\n');
  });
  await must('Escape stops it', async () => {
    await ask('three', 'Wait for me.');
    await mark(true);
    await window.screenshot('an edit at the cursor');
    await until(() => stage.wire.sent('agent/run').at(-1).params.prompt[0].text === 'Wait for me.', 'it does not run');
    await page.locator('.editor-instance .view-line', { hasText: 'one' }).first().click();
    await page.keyboard.press('Escape');
    await mark(false);
    is('it was cancelled', stage.wire.sent('agent/cancel').length > 0);
    is('nothing was changed', read(file('code.txt')) === 'one\ntwo\nthree\n');
  });
  await check('a problem of the editor is given to the agent', async () => {
    await window.openFile('broken.json');
    await page.locator('.squiggly-error, .squiggly-warning').first().waitFor();
    await page.locator('.editor-instance .view-line', { hasText: '"a"' }).first().click();
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    await until(async () => { // a busy editor shows a menu without the actions that come late
      await page.keyboard.press('Control+.');
      if (await page.locator('.action-widget .monaco-list-row', { hasText: 'Fix with agent' }).first().waitFor({ timeout: 5_000 }).then(() => true, () => false)) return true;
      await page.keyboard.press('Escape');
      return false;
    }, 'the problem has no such action');
    await window.take('Fix with agent');
    await stage.wire.request('agent/run', (p) => p.prompt?.[0]?.text?.startsWith('Fix this problem in line'));
    await says(file('broken.json'), '{\n  "a": 1\n}\n');
    await mark(false);
  });
  await window.close();
};
