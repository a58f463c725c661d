// Where the chat is shown: in its view, in a tab of the editor with the same session and the same draft, over a reload of the window,
// and back. The sessions by their day; beside a command that runs, for how long it has, and how much came of it.
import { Chat } from '../chat.mjs';
import { check, is, must } from '../checks.mjs';

export default async (stage) => {
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  await must('it answers in the side bar', async () => {
    await chat.say('Hello.');
    await chat.answer('Hello from the side bar').waitFor();
    await chat.idle();
  });
  await check('a command that runs has a counter, and then its time and size', async () => {
    await chat.say('Count.');
    await chat.decide(chat.question('seq 1 3000'), 'once');
    await chat.call('c1').locator('.counting', { hasText: /^\d+ s( · [\d.]+ KiB)?$/ }).waitFor();
    await window.screenshot('a counter');
    await chat.answer('Counted').waitFor();
    await chat.call('c1').locator('.time:not(.counting)', { hasText: /^\d.* s · 14 KiB$/ }).waitFor();
    await chat.idle();
  });
  await check('sessions are listed by day', async () => {
    await window.command(window.title('listSessions'));
    await chat.page.locator('.session-day', { hasText: 'Today' }).waitFor();
    await window.screenshot('sessions by day');
    await chat.page.locator('.sessions .search').press('Escape');
  });

  const tab = page.locator('.tab', { hasText: 'Hello' });
  const inSideBar = chat.page;
  const [inTab, view] = window.tabAndView();
  await must('the chat goes into a tab, with its session and what is typed', async () => {
    await chat.box.fill('Again');
    await page.waitForTimeout(1000); // the draft is kept a moment after the last key
    await window.command(window.title('openChatInEditor'));
    await tab.waitFor();
    chat.page = inTab;
    await chat.answer('Counted').waitFor();
    is('the draft', await chat.box.inputValue() === 'Again');
    await window.screenshot('in a tab');
  });
  await must('it answers there', async () => {
    await chat.box.press('Enter');
    await chat.answer('Hello from the tab').waitFor();
    await chat.idle();
  });
  await must('the side bar says where it is', async () => {
    await view.locator('.elsewhere', { hasText: 'The chat is open in an editor tab' }).waitFor();
    is('no second page', await view.locator('.composer').count() === 0);
    await window.screenshot('the side bar meanwhile');
  });
  await must('the tab is there again after the window was loaded again', async () => {
    await window.reload();
    await tab.waitFor();
    await chat.answer('Hello from the tab').waitFor();
    await window.command(window.title('focusChat'));
    await chat.box.waitFor();
  });
  await must('it comes back to the side bar', async () => {
    await view.locator('.elsewhere a').click();
    await tab.waitFor({ state: 'detached' });
    chat.page = inSideBar;
    await chat.answer('Hello from the tab').waitFor();
    await chat.say('Back.');
    await chat.answer('from the side bar again').waitFor();
    await window.screenshot('back');
  });
  await must('a closed tab leaves it in the side bar, too', async () => {
    await window.command(window.title('openChatInEditor'));
    await tab.waitFor();
    chat.page = inTab;
    await chat.answer('from the side bar again').waitFor();
    chat.page = inSideBar;
    await window.command('View: Close Editor');
    await tab.waitFor({ state: 'detached' });
    await chat.focus();
    await chat.answer('from the side bar again').waitFor();
  });
  await window.close();
};
