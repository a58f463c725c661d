// Two windows on one folder, each with its own sidecar: the second follows the session of the first, goes on in a fork of its own, and
// takes the session over when the first is closed.
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, says, until } from '../checks.mjs';

export default async (stage) => {
  const server = await stage.server({ machine: stage.machine });
  const one = await stage.window(server, { name: '1' });
  await must('the first window opens', () => one.open());
  const first = new Chat(one);
  await must('it asks', async () => {
    await first.focus();
    await first.say('Change the note.');
    await first.question('note.txt').waitFor();
  });

  const two = await stage.window(server, { name: '2' });
  await must('the second window opens', () => two.open());
  const second = new Chat(two);
  const banner = second.page.locator('.banner').filter({ has: second.page.locator('.codicon-eye') });
  await must('it shows the session, and that another window has it', async () => {
    await second.focus();
    await second.page.locator('.row.prompt').first().waitFor({ timeout: 5_000 }).catch(() => {});
    if (await second.prompts.count() === 0) { // it kept no state of the first one
      await two.command(two.title('sessions'));
      await two.pick('Change the note');
    }
    await second.prompts.filter({ hasText: 'Change the note.' }).waitFor();
    await banner.waitFor();
    is('nothing can be said there', await second.box.isDisabled());
    await two.screenshot('the second window');
  });
  await must('what happens in the first is shown in the second', async () => {
    await first.decide(first.question('note.txt'), 'once');
    await first.answer('The note is changed').waitFor();
    await second.answer('The note is changed').waitFor();
    await says(join(stage.workspace, 'note.txt'), 'as it is\n');
  });
  await check('the session cannot be taken away', async () => {
    const take = banner.locator('button').nth(1);
    is('the button is off', await take.isDisabled());
  });
  await must('it goes on in a fork', async () => {
    await banner.locator('button').first().click();
    await banner.waitFor({ state: 'detached' });
    await until(async () => !(await second.box.isDisabled()), 'nothing can be said there');
    await second.say('In the fork.');
    await second.answer('This is the fork').waitFor();
    await second.idle();
  });
  is('the first knows nothing of it', await first.answer('This is the fork').count() === 0);

  await must('back in the session of the first', async () => {
    await two.command(two.title('sessions'));
    const row = two.quickInput.locator('.monaco-list-row').filter({ hasText: 'open in another window' }).first();
    await row.waitFor();
    await row.click();
    await banner.waitFor();
  });
  await one.close();
  await must('when the first is closed it can be taken over', async () => {
    const take = banner.locator('button').nth(1);
    await until(() => take.isEnabled(), 'the button stays off', 150_000);
    await take.click();
    await banner.waitFor({ state: 'detached' });
    await until(async () => !(await second.box.isDisabled()), 'nothing can be said there');
    await second.say('Here now.');
    await second.answer('This is the second window').waitFor();
    await second.idle();
  });
  await two.close();
};
