// What goes into a prompt and what comes of an answer, in the real web view: files named with @, the selection, a dropped picture, mode
// and model, a prompt that is edited and sent again, code that is copied; and the word that a run has ended while nobody looks.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, until } from '../checks.mjs';

// A picture of one dot.
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export default async (stage) => {
  const file = (name) => join(stage.workspace, name);
  mkdirSync(file('src'));
  mkdirSync(file('node_modules'));
  writeFileSync(file('src/greeting.txt'), 'one\ntwo\nthree\n');
  writeFileSync(file('lines.txt'), 'one\ntwo\nthree\n');
  mkdirSync(join(process.env.HOME, '.agent-sidecar/agents'), { recursive: true });
  writeFileSync(join(process.env.HOME, '.agent-sidecar/agents/reviewer.md'), '---\nname: reviewer\ndescription: Reads and judges.\nmode: primary\ntools: [read, grep]\n---\n\nJudge.\n');
  writeFileSync(file('node_modules/greeting.txt'), 'of somebody else\n');
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  await window.widen(120);
  const runs = () => stage.wire.sent('agent/run');

  await must('@ finds a file, and not what the search of the editor leaves out', async () => {
    await chat.box.click();
    if (stage.oldest) return chat.box.fill('See @src/greeting.txt '); // as it is installed here it has no program that searches
    await page.keyboard.type('See @greet');
    await chat.page.locator('.mention', { hasText: 'greeting.txt' }).first().waitFor();
    is('only one', await chat.page.locator('.mention').count() === 1, await chat.page.locator('.mention').allInnerTexts());
    await window.screenshot('mention');
    await page.keyboard.press('Enter');
    await until(async () => await chat.box.inputValue() === 'See @src/greeting.txt ', async () => chat.box.inputValue());
  });
  await must('a picture that is dropped stands below', async () => {
    await chat.page.locator('.composer .frame').evaluate((frame, data) => {
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'dot.png', { type: 'image/png' }));
      for (const type of ['dragenter', 'dragover', 'drop']) frame.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }));
    }, dot);
    await chat.page.locator('.chip.picture img').waitFor();
  });
  await must('that the model is not known to accept it is said now, with two ways on', async () => {
    await chat.page.locator('.sight', { hasText: 'scripted may not accept images' }).waitFor();
    is('another model', await chat.page.locator('.sight [data-part="other-model"]').isVisible());
    await window.screenshot('not known to accept images');
    await chat.page.locator('.sight [data-part="anyway"]').press('Enter'); // the editor takes no mouse here before it moves: something was dragged
    await chat.page.locator('.sight').waitFor({ state: 'hidden' });
    await chat.page.locator('.composer textarea.box:focus').waitFor();
  });
  await must('both are sent', async () => {
    await page.keyboard.press('Enter');
    await chat.answer('I have seen it').waitFor();
    await chat.idle();
    const { prompt } = runs()[0].params;
    is('the file by its path', prompt[0].text === 'See @src/greeting.txt', JSON.stringify(prompt).slice(0, 300));
    is('the picture whole', prompt[1].type === 'image' && prompt[1].data === dot);
    is('and with the word that it goes anyway', prompt[1].anyway === true, JSON.stringify({ ...prompt[1], data: '' }));
    is('no notice says that it was left out', !stage.wire.events('notice').some((e) => e.data.kind === 'images'), JSON.stringify(stage.wire.events('notice')));
    is('the picture is shown', await chat.page.locator('.row.prompt .pictures img').count() === 1);
  });
  await window.screenshot('picture');

  await must('a selection is handed over by its keys', async () => {
    await chat.box.fill('What is ');
    await window.openFile('lines.txt');
    await window.editor().click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('g');
    await chat.page.locator('.composer textarea.box:focus').waitFor();
    await chat.page.locator('.chip.link', { hasText: 'lines.txt:2' }).waitFor();
    is('what was typed before is still there', await chat.box.inputValue() === 'What is ', await chat.box.inputValue());
    await page.keyboard.press('Control+End');
    await page.keyboard.type('this?');
    await page.keyboard.press('Enter');
    await chat.answer('It is two').waitFor();
    await chat.idle();
    const { prompt, context } = runs()[1].params;
    is('its place is part of the prompt', prompt[1]?.uri?.endsWith('/lines.txt') && prompt[1].range.start.line === 1 && prompt[1].range.end.line === 2, JSON.stringify(prompt));
    is('and so is what is selected, which the model gets', prompt[1].text?.trim() === 'two', JSON.stringify(prompt));
    is('and not sent twice', context === undefined, JSON.stringify(context));
    is('the chip is gone', await chat.page.locator('.chip.link').count() === 0);
    await chat.prompts.filter({ hasText: 'What is this?' }).locator('.chip', { hasText: 'lines.txt:2' }).waitFor();
  });
  await must('the selection is explained at once, beside what is being typed', async () => {
    await chat.box.fill('half a thought');
    await window.editor().click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('j');
    await chat.answer('It says one').waitFor();
    await chat.idle();
    is('what was typed is still there', await chat.box.inputValue() === 'half a thought', await chat.box.inputValue());
    await chat.box.fill('');
  });

  await must('code is copied', async () => {
    await chat.page.locator('.row.answer [data-part^="copy"]').last().click();
    await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === 'const two = 2;', async () => page.evaluate(() => navigator.clipboard.readText()));
  });

  const choose = async (picker, name) => {
    await chat.page.locator(`.composer .${picker}`).click();
    await chat.page.getByRole('menuitemradio', { name: new RegExp(`^${name}`) }).click();
    await chat.page.locator(`.composer .${picker}`, { hasText: name }).waitFor();
  };
  await must('one selector has the modes, and own agents', async () => {
    await choose('mode', 'Plan');
    await stage.wire.event('session.changed', (e) => e.data.agent === 'plan' && e.data.mode === 'agent');
    await choose('mode', 'reviewer');
    await stage.wire.event('session.changed', (e) => e.data.agent === 'reviewer');
    await choose('mode', 'Ask');
    await stage.wire.event('session.changed', (e) => e.data.agent === 'build' && e.data.mode === 'ask');
    await window.command(window.title('switchMode'));
    await window.quickInput.locator('.monaco-list-row', { hasText: 'reviewer' }).waitFor();
    await window.screenshot('modes');
    await window.pick('Edits files in a trusted folder');
    await stage.wire.event('session.changed', (e) => e.data.agent === 'build' && e.data.mode === 'agent');
    await chat.page.locator('.composer .mode', { hasText: 'Edit' }).waitFor();
  });
  await must('a model that is not in the list is chosen by its name', async () => {
    await chat.page.locator('.composer .model-picker').click();
    await chat.page.getByRole('menuitemradio', { name: /^More models/ }).click();
    await window.quickInput.locator('input').first().fill('openai/another');
    await window.pick('Use “openai/another”');
    await window.pick('as the default');
    await chat.page.locator('.composer .model-picker', { hasText: 'another' }).waitFor();
    await stage.wire.event('session.changed', (e) => e.data.model === 'openai/another');
    await until(() => /"model":\s*"openai\/another"/.test(read(join(process.env.HOME, '.agent-sidecar/config.jsonc'))), 'the configuration does not say so');
  });

  await must('a prompt is edited and sent again', async () => {
    const prompt = chat.prompts.filter({ hasText: 'What is this?' });
    await prompt.hover();
    await prompt.locator('[data-part="edit"]').click();
    await chat.box.fill('What was that?');
    await chat.box.press('Enter');
    await chat.answer('That was').waitFor();
    await chat.idle();
  });
  await window.screenshot('edited');
  is('the old prompt is not in the fork', await chat.prompts.filter({ hasText: 'What is this?' }).count() === 0);
  const models = stage.wire.events('run.started').map((e) => e.data.model);
  is('the run had the model that was chosen', models.at(-1)?.includes('another'), models.join());

  const toast = window.notification('Agent: done');
  is('no run that was looked at was told about', await toast.count() === 0);
  await must('a run that ends while nobody looks is told about, and shown by it', async () => {
    await chat.say('Take your time.');
    await chat.page.locator('.row.answer', { hasText: 'It takes' }).waitFor();
    await chat.decide(chat.question('until'), 'once');
    await window.editor().click(); // a page whose frame has the focus does not hear that it is left
    const driver = await window.context.newCDPSession(page);
    await driver.send('Emulation.setFocusEmulationEnabled', { enabled: false }); // which else says that every page is looked at
    const other = await window.context.newPage();
    await other.bringToFront();
    await until(() => page.evaluate(() => !document.hasFocus()), 'the window keeps the focus');
    writeFileSync(file('go'), ''); // what the run waits for
    await stage.wire.event('run.ended', (e) => e.runId === stage.wire.events('run.started').at(-1).runId);
    await page.bringToFront();
    await toast.waitFor();
    is('it says which one', (await toast.innerText()).includes('See @src/greeting.txt'), await toast.innerText());
    await window.screenshot('nobody looks');
    await chat.fresh();
    await window.command('Notifications: Show Notifications'); // by itself it is shown for some seconds only
    await page.locator('.notifications-center .notification-list-item').filter({ hasText: 'Agent: done' }).locator('.monaco-button', { hasText: 'Show' }).click();
    await chat.answer('some time').waitFor();
  });
  await window.close();
};
