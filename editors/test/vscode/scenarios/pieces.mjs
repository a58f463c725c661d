// The agent's changes piece by piece, in the file itself: Keep and Undo above each, also with the keys; a piece that is taken back is the
// person's own edit; what was typed meanwhile stays where it is; line ends and a missing last one stay.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, says, until } from '../checks.mjs';

const lines = (n, change = {}) => Array.from({ length: n }, (_, i) => change[i + 1] ?? `line ${i + 1}`);

export default async (stage) => {
  const file = (name) => join(stage.workspace, name);
  writeFileSync(file('long.txt'), lines(20).join('\n') + '\n');
  writeFileSync(file('crlf.txt'), lines(6).join('\r\n'));
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  const lens = (what) => page.locator('.codelens-decoration a', { hasText: what });
  const lenses = (n) => until(async () => await lens('Keep').count() === n, async () => `${await lens('Keep').count()} pieces, not ${n}`);
  const save = async () => { await window.command('File: Save'); };
  await must('the agent changes two files', async () => {
    await window.openFile('long.txt');
    await chat.say('Change them.');
    await chat.answer('They are changed').waitFor();
    await chat.idle();
  });
  await must('each piece has its buttons in the file', async () => {
    await lenses(3);
    await lens('since before the agent: +1 −1').first().waitFor();
    await window.screenshot('pieces');
  });
  await check('lines typed above move them; one is taken back at its place, as an edit that can be undone', async () => {
    await window.editor().click({ position: { x: 5, y: 5 } });
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('mine\n');
    await page.keyboard.press('Escape');
    await lenses(4); // the line of the person differs, too
    await lens('Undo').last().click();
    await lenses(3);
    await save();
    await says(file('long.txt'), ['mine', ...lines(20, { 2: 'two', 10: 'ten\nand a half' })].join('\n') + '\n');
    await page.keyboard.press('Control+z');
    await lenses(4);
    await page.keyboard.press('Control+y');
    await lenses(3);
  });
  await check('with the keys: to the next, keep it, to the next, undo it', async () => {
    await page.keyboard.press('Control+Home');
    await window.command(window.title('piece.undo')); // the line of the person is one, too: at the cursor
    await lenses(2);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('.');
    await page.locator('.statusbar-item', { hasText: 'Ln 2,' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('k');
    await lenses(1);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('.');
    await page.locator('.statusbar-item', { hasText: 'Ln 10,' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('t');
    await lenses(0);
    await save();
    await says(file('long.txt'), lines(20, { 2: 'two' }).join('\n') + '\n');
  });
  await check('the next change is in the next file', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.press('.');
    await window.activeTab('crlf.txt').waitFor();
    await lenses(1);
    await lens('Undo').click();
    await lenses(0);
    await save();
    await says(file('crlf.txt'), lines(6).join('\r\n'));
  });
  await check('a file of which every piece is settled is kept', async () => {
    await window.command(window.title('changes.show'));
    await until(async () => await page.locator('.pane .monaco-list-row', { hasText: 'long.txt' }).count() === 0, 'it is still to be looked at');
  });
  await check('a piece that is kept is kept in a new window, and a command on none says so', async () => {
    await window.reload();
    await chat.focus();
    await chat.answer('They are changed').waitFor();
    await window.openFile('long.txt');
    await window.command(window.title('sessions'));
    await page.keyboard.press('Escape');
    is('no piece', await lens('Keep').count() === 0);
  });
  await window.close();
};
