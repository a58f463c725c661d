// A proposed edit is changed in its review before it is accepted: the right side can be written in, saving it says no yes, the button
// does, and the card in the chat as well, which offers no other yes then; nonsense and another answer meanwhile lose nothing. What the
// file was changed to behind the review is asked about again.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, says, until } from '../checks.mjs';

export default async (stage) => {
  const file = (name) => join(stage.workspace, name);
  mkdirSync(join(process.env.HOME, '.agent-sidecar'), { recursive: true });
  writeFileSync(join(process.env.HOME, '.agent-sidecar/config.jsonc'), JSON.stringify({ agents: { runtime: { mode: { default: 'ask' } } } }));
  writeFileSync(file('note.txt'), 'one\ntwo\nthree\n');
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  const right = page.locator('.monaco-diff-editor .editor.modified');
  const approvals = () => stage.wire.sent('agent/approve').map((m) => m.params);
  const write = async (line, text) => {
    await right.locator('.view-line', { hasText: line }).first().click();
    await page.keyboard.press('End');
    await page.keyboard.type(text);
  };
  const accept = () => page.locator('.editor-actions .action-label[aria-label^="Accept With My Changes"], .editor-actions .action-label[aria-label^="Agent: Accept With My Changes"]').first().click();
  await must('an edit is asked about, and its review opens', async () => {
    await chat.say('Change it.');
    const question = chat.question('note.txt');
    await question.waitFor();
    await chat.decide(question, 'review');
    await right.locator('.view-line', { hasText: 'eins' }).first().waitFor();
  });
  await must('the right side can be written in, and saving it is no yes', async () => {
    await write('eins', ', mine');
    await window.screenshot('a proposal that is changed');
    await page.keyboard.press('Control+s');
    is('nothing was answered', approvals().length === 0 && read(file('note.txt')) === 'one\ntwo\nthree\n');
  });
  await must('accepted, the file is as the person has it, and the model is told', async () => {
    await accept();
    await says(file('note.txt'), 'eins, mine\ntwo\nthree\n');
    const sent = approvals().at(-1);
    is('the answer names what was shown', sent.decision === 'once' && sent.digest.length > 0 && sent.editedInput.path === 'note.txt', JSON.stringify(sent));
    await chat.answer('You wrote it otherwise').waitFor();
    await until(async () => await page.locator('.tab', { hasText: 'Review:' }).count() === 0, 'the review stays open');
  });
  await must('what was changed behind the review is asked about again, with the words of the person', async () => {
    const question = chat.question('note.txt');
    await question.waitFor();
    await chat.decide(question, 'review');
    await write('zwei', ', mine');
    writeFileSync(file('note.txt'), 'eins, mine\ntwo\nthree\nfour\n');
    await accept();
    await window.notification('you are asked again').waitFor();
    await right.locator('.view-line', { hasText: 'zwei, mine' }).first().waitFor();
    is('nothing ran', read(file('note.txt')) === 'eins, mine\ntwo\nthree\nfour\n');
  });
  await must('the card in the chat says yes to the words of the person, and to nothing else', async () => {
    const question = chat.question('note.txt');
    await question.locator('[data-decision="once"]', { hasText: 'Accept with my changes' }).waitFor();
    await window.screenshot('a card whose edit was changed in the review');
    is('it says so', (await question.innerText()).includes('You have changed this edit in its review'), await question.innerText());
    is('no other yes is offered', await question.locator('[data-decision="session"], [data-decision="always"]').count() === 0);
    await chat.decide(question, 'once');
    await says(file('note.txt'), 'eins, mine\nzwei, mine\nthree\n'); // the right side as it stood there, which had no fourth line
    is('the answer has them', approvals().at(-1).editedInput.new.includes('zwei, mine'), JSON.stringify(approvals().at(-1)));
  });
  await must('a change that is taken back in the review is none, and the card is as before', async () => {
    const question = chat.question('drei');
    await question.waitFor();
    await chat.decide(question, 'review');
    await write('drei', ', mine');
    await question.locator('[data-decision="once"]', { hasText: 'Accept with my changes' }).waitFor();
    for (let i = 0; i < ', mine'.length; i++) await page.keyboard.press('Backspace');
    await question.locator('[data-decision="once"]', { hasText: 'Allow once' }).waitFor();
  });
  await check('rejected, nothing of it is written', async () => {
    await window.command(window.title('approvals.reject'));
    await chat.answer('It stays as it is').waitFor();
    await chat.idle();
    is('the file is as it was', read(file('note.txt')) === 'eins, mine\nzwei, mine\nthree\n');
    is('no dialog about saving is open', await page.locator('.monaco-dialog-box').count() === 0);
  });
  await window.close();
};
