// The main job: prompt, stream, a yes by the light bulb, the file is changed, a whole output is opened, a sub-agent explores, undo, the
// window is loaded again and the session goes on. `chinese` and `oldest` play the same.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, says } from '../checks.mjs';

// What the light bulb says is the sidecar's, in the language of the editor.
const english = { review: 'Review diff: edit note.txt', reject: 'Reject: edit note.txt', allow: 'Allow', once: 'Allow once: edit note.txt' };

export default async (stage, { words = english, look, ...options } = {}) => {
  const note = join(stage.workspace, 'note.txt');
  writeFileSync(join(process.env.HOME, '.agent-sidecar/config.jsonc'),
    JSON.stringify({ agents: { runtime: { permission: { rules: [{ domain: 'edit', pattern: 'vault:**', decision: 'ask' }] } } } }));

  const server = await stage.server({ machine: stage.machine, ...options });
  const window = await stage.window(server);
  await must('the window opens', () => window.open());
  await must('a file opens', () => window.openFile('note.txt'));
  const chat = new Chat(window);
  await must('the chat opens by its command', () => chat.focus());
  await window.widen(120);
  await look?.(window, chat);

  await must('a prompt is taken', async () => {
    await chat.say('Change the note.');
    await chat.prompts.filter({ hasText: 'Change the note.' }).waitFor();
  });
  await must('the answer is shown while it comes', async () => {
    await chat.answer('I change the').waitFor();
  });
  await check('Markdown is shown as such', () => chat.answers.locator('strong', { hasText: 'note' }).first().waitFor());

  const question = chat.question('note.txt');
  await must('the edit is asked about in the chat, with its diff', async () => {
    await question.waitFor();
    await question.locator('.diff-line.added', { hasText: '+as it is' }).waitFor();
  });
  is('nothing is changed before', read(note) === 'as it was\n');
  await check('the code lens stands at the place', () => window.page.locator('.codelens-decoration').filter({ hasText: 'note.txt' }).first().waitFor());
  await must('the light bulb offers no yes before the diff was seen', async () => {
    const menu = await window.lightBulb();
    await menu.locator('.monaco-list-row', { hasText: words.review }).waitFor();
    is('there is a no', await menu.locator('.monaco-list-row', { hasText: words.reject }).count() === 1);
    is('there is no yes', await menu.locator('.monaco-list-row', { hasText: words.allow }).count() === 0);
  });
  await must('the review shows the whole change', async () => {
    await window.take(words.review);
    await window.page.locator('.editor-group-container.active').getByText('as it is').first().waitFor();
    await window.screenshot('review');
  });
  await must('the light bulb then offers it', async () => {
    await window.openFile('note.txt');
    const menu = await window.lightBulb();
    await menu.locator('.monaco-list-row', { hasText: words.once }).waitFor();
    await window.screenshot('light bulb');
    await stage.picture(window, 'vscode-light-bulb');
  });
  await must('taken, it changes the file', () => window.takeFor(words.once, (ms) => says(note, 'as it is\n', ms)));
  await check('the log says that it was answered by a code action', () => stage.wire.event('approval.resolved', (e) => e.data.by === 'code_action'));
  await check('the question goes away in the chat', () => question.waitFor({ state: 'detached' }));
  await check('the editor shows the new text', () => window.editor().getByText('as it is').waitFor());

  await must('the command is asked about, and allowed in the chat', async () => {
    const command = chat.question('seq 1 20000');
    await command.waitFor();
    await chat.decide(command, 'once');
    await command.waitFor({ state: 'detached' });
  });
  await must('the run ends', async () => {
    await chat.answer('The note is changed').waitFor();
    await chat.idle();
  });
  await check('the sub-agent has a card, and below it what it said and did', async () => {
    const card = chat.call('c4');
    if (await chat.call('e1').count() === 0) await card.locator('[data-part="fold"]').first().click(); // it folds itself when it is done
    await chat.call('e1').waitFor();
    await chat.answer('note.txt:1 says as it is').first().waitFor();
  });
  await check('how full the context is, is shown', () => chat.page.locator('.meter:not([hidden])').waitFor());
  await window.screenshot('the run has ended');
  await stage.picture(window, 'vscode-chat');

  await must('a cut output says so and opens as a whole', async () => {
    await chat.call('c3').scrollIntoViewIfNeeded();
    await chat.call('c3').locator('.badge.truncated').waitFor();
    await chat.call('c3').locator('[data-part="artifact"]').click();
    await window.page.locator('.editor-group-container.active .view-line', { hasText: /^1$/ }).first().waitFor();
    await window.editor().click();
    await window.page.keyboard.press('Control+End');
    await window.editor().getByText('20000', { exact: true }).first().waitFor();
  });
  await check('it is read only', async () => {
    await window.page.keyboard.type('x');
    is('typing changes nothing', await window.page.locator('.tab.active.dirty').count() === 0);
  });
  await check('a place that the answer names opens the file', async () => {
    await chat.focus();
    await chat.answer('The note is changed').locator('a[data-path="note.txt"]').click();
    await window.page.locator('.tab.active', { hasText: 'note.txt' }).waitFor();
  });
  await check('what the run changed opens as a diff', async () => {
    await chat.change('diff', 'note.txt').click();
    await window.page.locator('.monaco-diff-editor').first().waitFor();
    await window.screenshot('diff');
  });
  await must('undo takes the change back', async () => {
    await chat.focus();
    await chat.change('undo', 'note.txt').click();
    await window.agree('note.txt');
    await says(note, 'as it was\n');
  });
  await window.screenshot('undone');

  await must('the window is loaded again', () => window.reload());
  await must('the chat shows the same session', async () => {
    await chat.focus();
    await chat.answer('The note is changed').waitFor();
  });
  await must('and it goes on', async () => {
    await chat.say('Go on.');
    await chat.answer('still here after').waitFor();
    await chat.idle();
  });
  const sessions = new Set(stage.wire.events('run.started').map((e) => e.sessionId));
  is('in the same session', sessions.size === 1, [...sessions].join());
  await window.screenshot('after the reload');
  is('the window asked nobody but its own server for anything', window.strangers.size === 0, [...window.strangers].join());
  await window.close();
};
