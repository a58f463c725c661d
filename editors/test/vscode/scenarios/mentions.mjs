// What can be named with `@`: files and their folders, the problems of the editor and the changes that are not
// committed. What is no path goes beside the prompt, as a chip that can be taken away, and is not the person's words.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must } from '../checks.mjs';

export default async (stage) => {
  const file = (name, text) => writeFileSync(join(stage.workspace, name), text);
  const git = (...args) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: stage.workspace });
  mkdirSync(join(stage.workspace, 'parsing'));
  file('parsing/first.ts', 'export function parseHeader(text: string): number {\n  return text.length;\n}\n');
  file('settings.json', '{"a": 1}\n');
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'start');
  file('settings.json', '{"a": 2,, }\n');
  const server = await stage.server({ machine: stage.machine, settings: { 'git.enabled': true } });
  const window = await stage.window(server);
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the files are open', async () => {
    await window.openFile('parsing/first.ts');
    await window.openFile('settings.json');
    await page.locator('.squiggly-error').first().waitFor();
  });
  await must('the chat opens', () => chat.focus());
  const offers = chat.page.locator('.mention');
  const offer = (text) => offers.filter({ hasText: text }).first();
  const chip = (text) => chat.page.locator('.chip.link', { hasText: text });
  const type = async (text) => {
    await chat.box.fill('');
    await chat.box.pressSequentially(text);
  };

  await must('a folder is offered beside files', async () => {
    await type('@first');
    await offer('first.ts').waitFor();
    await type('@pars');
    await offer('parsing/').click();
    is('its path is in the text', await chat.box.inputValue() === '@parsing/ ', await chat.box.inputValue());
  });
  await must('the problems and the changes go with the prompt', async () => {
    await type('@prob');
    await offer('Problems').click();
    await chip('problems.txt').waitFor();
    await type('@chan');
    await window.screenshot('the changes are offered');
    await offer('Uncommitted changes').click();
    await chip('changes.diff').waitFor();
    await chat.say('Look at these.');
    await chat.answer('Both seen').waitFor();
    const [run] = stage.wire.sent('agent/run');
    const text = (name) => run.params.prompt.find((b) => b.type === 'resource_link' && b.uri?.endsWith(name))?.text ?? '';
    is('the problem, with its place', /^settings\.json:1: error: /m.test(text('problems.txt')), text('problems.txt'));
    is('the change', text('changes.diff').includes('+{"a": 2,, }'), text('changes.diff'));
  });
  await check('where there is nothing it says so, and nothing goes along', async () => {
    await chat.idle();
    git('checkout', '-q', '.');
    await type('@chan');
    await offer('Uncommitted changes').click();
    await chat.page.locator('.problem', { hasText: 'There are no uncommitted changes' }).waitFor();
    is('no chip', await chip('changes.diff').count() === 0);
  });
  await window.close();
};
