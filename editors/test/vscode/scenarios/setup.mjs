// The first start, with nothing set up and the program that is inside the extension: the walkthrough's three ways to a model (a key, a
// server on this machine, the demonstration), the settings page and what it writes, the status bar.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, until } from '../checks.mjs';
import { only, sidecars } from '../processes.mjs';

const key = 'a-key-of-the-walkthrough-0123456789';

export default async (stage) => {
  const url = process.env.OPENAI_BASE_URL;
  for (const name of ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_MODEL']) delete process.env[name];
  const program = () => join(stage.dir, 'extensions', readdirSync(join(stage.dir, 'extensions')).find((f) => f.startsWith('agent-sidecar.')), 'bin/agent-sidecar');
  const running = () => sidecars(process.env.HOME, program());
  const config = join(process.env.HOME, '.agent-sidecar/config.jsonc');
  // Without `agentSidecar.path`: what runs is inside the .vsix.
  const server = await stage.server({ machine: { 'agentSidecar.trace.server': 'verbose' } });
  const window = await stage.window(server, { height: 1000 });
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  const noModel = chat.page.locator('.banner').filter({ hasText: 'No model' });
  await check('the chat says that there is no model', () => noModel.waitFor());
  await window.screenshot('nothing is set up');
  await check('a model that is written by hand is there at once, and gone when it is taken away', async () => {
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, JSON.stringify({ model: 'byhand/other', providers: { byhand: { baseUrl: url } } }));
    await noModel.waitFor({ state: 'detached' });
    await chat.page.locator('.model-picker', { hasText: 'other' }).waitFor();
    rmSync(config);
    await noModel.waitFor();
  });

  const choose = (name) => window.wayToModel(name);
  await must('the walkthrough opens', async () => {
    await window.command(window.title('openWalkthrough'));
    await window.steps.first().waitFor();
    is('it has four steps', await window.steps.count() === 4, await window.steps.count());
    await window.screenshot('walkthrough');
  });

  await must('its third way, the demonstration, plays in a terminal and asks there', async () => {
    await choose('Run the Demo');
    await page.locator('.terminal-wrapper.active').first().waitFor();
  });
  const demos = () => readdirSync(tmpdir()).filter((f) => f.startsWith('agent-sidecar-demo-'));
  await must('it comes to its end and leaves nothing', async () => {
    await page.locator('.terminal-wrapper.active .xterm').first().click();
    await until(() => demos().length > 0, 'it does not begin');
    await until(async () => {
      if (demos().length === 0) return true;
      await page.keyboard.type('y\n');
      await window.screenshot('demo');
      return new Promise((go) => setTimeout(() => go(demos().length === 0), 1500));
    }, () => `left: ${demos().join()}`, 120_000);
  });
  await window.screenshot('demo has ended');
  await must('a way that was left half way has done no step, nor has the demonstration', async () => {
    await choose('Set API Key');
    await window.quickInput.waitFor();
    await page.keyboard.press('Escape');
    await window.quickInput.waitFor({ state: 'hidden' });
    is('the first is to be done', await window.step('model', '[aria-checked="false"]').count() === 1, await window.step('model').evaluate((e) => e.outerHTML.slice(0, 300)));
  });

  await page.locator('.part.panel .action-label[aria-label^="Hide Panel"]').click();
  await must('its second way, a server on this machine, by its address', async () => {
    await choose('Use a Local Server');
    await window.pick('Another address');
    await window.answer(url);
    await window.pick('other');
    await until(() => /"model":\s*"local\/other"/.test(read(config)), () => read(config));
  });
  await check('the chat no longer says that there is no model', () => noModel.waitFor({ state: 'detached' }));
  await window.screenshot('local server');
  await must('it answers', async () => {
    await chat.focus();
    await chat.say('Hello.');
    await chat.answer('Hello from').waitFor();
    await chat.idle();
  });
  await window.screenshot('local answers');
  await must('its first way, a key: the process is started again with it', async () => {
    writeFileSync(config, JSON.stringify({ ...JSON.parse(read(config)), providers: { ...JSON.parse(read(config)).providers, anthropic: { baseUrl: url } } }));
    const before = (await until(() => only(running()))).pid;
    await choose('Set API Key');
    await window.pick('ANTHROPIC_API_KEY');
    await window.answer(key);
    await until(() => { const one = only(running()); return one && one.pid !== before && one.environment.ANTHROPIC_API_KEY === key; }, 'no process of the program inside the extension has it');
  });

  await must('then the models of that provider are offered, and a name can be typed', async () => {
    await window.quickInput.locator('.monaco-list-row', { hasText: 'anthropic/scripted' }).waitFor();
    await window.screenshot('models of the key');
    await window.quickInput.locator('input').first().fill('made-up');
    await window.quickInput.locator('.monaco-list-row', { hasText: 'Use “anthropic/made-up”' }).waitFor();
    await page.keyboard.press('Escape');
    await window.quickInput.waitFor({ state: 'hidden' });
    is('leaving it changes nothing', /"model":\s*"local\/other"/.test(read(config)), read(config));
  });

  const written = () => JSON.parse(read(config));
  const settings = await must('the settings page opens', async () => {
    await window.command(window.title('openSettings'));
    return until(async () => {
      for (const frame of page.frames()) if (await frame.locator('#mode-default').count().catch(() => 0)) return frame;
      return undefined;
    }, 'it does not open');
  });
  const field = (id) => settings.locator(`[id="${id}"]`);
  await check('it shows the default prompt, without parameters', async () => {
    await field('show-default').click();
    is('all of it', (await field('default-text').innerText()).length > 200);
    is('no parameter is offered', await field('systemPrompt.params.temperature').count() === 0);
  });
  await must('custom begins with the default text', async () => {
    await field('mode-custom').check();
    await until(() => written().systemPrompt?.mode === 'custom', () => read(config));
    is('as its text', written().systemPrompt.text?.length > 200);
    is('and sends no parameter', written().systemPrompt.params === undefined);
    await window.screenshot('settings');
  });
  await must('a text of the person’s own is written', async () => {
    await field('text').fill('You are a parrot.');
    await field('text').blur();
    await until(() => written().systemPrompt.text === 'You are a parrot.', () => read(config));
  });
  await must('a parameter has a switch of its own', async () => {
    await field('on-systemPrompt.params.temperature').check();
    await until(() => written().systemPrompt.params?.temperature !== undefined, () => read(config));
    await field('systemPrompt.params.temperature').fill('0.25');
    await until(() => written().systemPrompt.params.temperature === 0.25, () => read(config));
    is('the others are not written', Object.keys(written().systemPrompt.params).length === 1);
  });
  await check('what is written by hand meanwhile is shown', async () => {
    writeFileSync(config, JSON.stringify({ ...written(), model: 'local/by-hand' }));
    await until(async () => await field('model').inputValue() === 'local/by-hand', () => read(config));
    writeFileSync(config, JSON.stringify({ ...written(), model: 'local/other' }));
    await until(async () => await field('model').inputValue() === 'local/other', () => read(config));
  });
  await check('a value that cannot be is not written', async () => {
    await field('systemPrompt.params.temperature').fill('9');
    await settings.locator('[id="systemPrompt.params.temperature"][aria-invalid="true"]').waitFor();
    is('it is as before', written().systemPrompt.params.temperature === 0.25);
  });
  await must('a limit is set, and reset', async () => {
    await field('on-agents.runtime.limits.maxTurns').check();
    await until(() => read(config).includes('maxTurns'), () => read(config));
    await field('on-agents.runtime.limits.maxTurns').uncheck();
    await until(() => !read(config).includes('maxTurns'), () => read(config));
  });
  await window.screenshot('settings written');
  await must('the next session has that prompt', async () => {
    await page.locator('.tab', { hasText: 'Agent Settings' }).click({ button: 'middle' });
    await page.locator('.tab', { hasText: 'Agent Settings' }).waitFor({ state: 'detached' });
    await chat.fresh();
    await chat.say('Who are you?');
    await chat.answer('I am a parrot').waitFor();
    await chat.idle();
  });
  await must('back to the default, the text is kept and not sent', async () => {
    await window.command(window.title('openSettings'));
    const again = await until(async () => {
      for (const frame of page.frames()) if (await frame.locator('#mode-default').count().catch(() => 0)) return frame;
      return undefined;
    }, 'it does not open');
    await again.locator('#mode-default').check();
    await until(() => written().systemPrompt.mode === 'default', () => read(config));
    is('it is kept', written().systemPrompt.text === 'You are a parrot.' && written().systemPrompt.params.temperature === 0.25, read(config));
  });
  await window.close();
};
