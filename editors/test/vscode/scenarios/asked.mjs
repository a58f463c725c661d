// What the model asks, and the plan that it hands over, where there is little room: nothing is chosen beforehand, the focus stays in the
// prompt, an answer is what was chosen and written; a plan is sent back with words, changed, and carried out.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, says } from '../checks.mjs';

const themes = { 'Dark Modern': 'vscode-dark', 'Light Modern': 'vscode-light' };

export default async (stage) => {
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  const { width } = await page.locator('.part.sidebar').boundingBox();
  await window.widen(300 - width);
  const card = chat.page.locator('.approval.question');
  const given = () => stage.wire.sent('agent/answer').map((m) => m.params);

  await must('two questions are one card', async () => {
    await chat.say('Build it.');
    await card.locator('legend', { hasText: 'Which features?' }).waitFor();
    is('nothing is chosen beforehand', await card.locator('input:checked').count() === 0);
    is('the focus stays in the prompt', await chat.box.evaluate((box) => document.activeElement === box));
  });
  for (const name of Object.keys(themes)) {
    await window.command('Preferences: Color Theme');
    await window.choose(name);
    await chat.page.locator(`body.${themes[name]}`).waitFor();
    await window.screenshot(`${name}, the questions`);
  }
  await check('an empty answer is none', async () => {
    await card.locator('[data-answer="send"]').click();
    await card.locator('.approval-error', { hasText: 'Answer at least one question' }).waitFor();
    is('nothing was sent', given().length === 0);
  });
  await must('what is chosen and written is the answer', async () => {
    await card.getByRole('radio', { name: 'Postgres' }).check();
    await card.getByRole('checkbox', { name: 'Login' }).check();
    await card.getByRole('checkbox', { name: 'Export' }).check();
    await card.locator('.own-words').first().fill('version 17');
    await card.locator('[data-answer="send"]').click();
    await chat.answer('So Postgres it is').waitFor();
    is('as it was given', JSON.stringify(given()[0].answers) === '[{"choices":["Postgres"],"text":"version 17"},{"choices":["Login","Export"]}]', given());
    is('the card is gone', await card.count() === 0);
  });
  await must('a free question is answered with Enter, or skipped', async () => {
    await chat.idle();
    await chat.say('And its name?');
    await card.locator('legend', { hasText: 'called' }).waitFor();
    await card.locator('[data-answer="dismiss"]').click();
    await chat.answer('I call it x').waitFor();
    is('it was dismissed', given()[1].dismiss === true, given());
  });

  const plan = chat.page.locator('.approval[data-approval]');
  await must('a plan is shown', async () => {
    await chat.idle();
    await chat.page.locator('.composer .mode').click();
    await chat.page.getByRole('menuitemradio', { name: /^Plan/ }).click();
    await chat.say('Plan it.');
    await plan.filter({ hasText: 'Accept this plan?' }).waitFor();
    await window.screenshot('the plan');
  });
  await must('it is sent back with words', async () => {
    await plan.locator('[data-decision="reject"]').click();
    await plan.locator('.rejecting textarea').fill('Two lines.');
    await plan.locator('.rejecting textarea').press('Enter');
    await plan.filter({ hasText: 'two' }).waitFor();
    is('nothing is written yet', !existsSync(join(stage.workspace, 'plan.txt')));
  });
  await must('it is shown as Markdown, and can be changed', async () => {
    await plan.locator('.plan-text strong', { hasText: 'two' }).waitFor();
    await plan.locator('[data-part="edit"]').click();
    await plan.locator('.plan-edit').fill('# Plan\n\n1. Write `plan.txt` with two lines, `one` and `two`.');
    await window.screenshot('the plan is edited');
  });
  await must('accepted, it is carried out in the same session', async () => {
    await plan.locator('[data-decision="once"]').first().click({ delay: 700 });
    await stage.wire.event('approval.resolved', (e) => e.data.decision === 'once');
    const answers = stage.wire.sent('agent/approve').map((m) => m.params);
    is('as the person has it', answers.at(-1).editedInput?.plan.endsWith('`one` and `two`.'), answers);
    await chat.answer('The plan is carried out').waitFor();
    await says(join(stage.workspace, 'plan.txt'), 'one\ntwo\n');
    await chat.page.locator('.composer .mode', { hasText: 'Edit' }).waitFor();
    await window.screenshot('it is carried out');
  });
};
