// What can be named with `@`: files and their folders, the problems of the editor and the changes that are not
// committed. What is no path goes beside the prompt, as a chip that can be taken away, and is not the person's words; of a file that the
// agent may not read no more than its name.
import { execFileSync } from 'node:child_process';
import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must } from '../checks.mjs';

export default async (stage) => {
  const file = (name, text) => writeFileSync(join(stage.workspace, name), text);
  const git = (...args) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: stage.workspace });
  mkdirSync(join(stage.workspace, 'parsing'));
  file('parsing/first.ts', 'export function parseHeader(text: string): number {\n  return text.length;\n}\n');
  file('settings.json', '{"a": 1}\n');
  file('closed.txt', 'secret\n');
  file('gone.txt', 'gone\n');
  mkdirSync(join(process.env.HOME, '.agent-sidecar'), { recursive: true });
  writeFileSync(join(process.env.HOME, '.agent-sidecar/config.jsonc'), JSON.stringify({ agents: { runtime: { permission: { rules: [{ domain: 'read', pattern: 'vault:/closed.txt', decision: 'deny' }] } } } }));
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'start');
  file('settings.json', '{"a": 2,, }\n');
  file('closed.txt', 'another secret\n');
  file('new.txt', 'new\n');
  unlinkSync(join(stage.workspace, 'gone.txt'));
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
    await chip('settings.json ±').waitFor();
    await chip('changes.txt').waitFor();
    await chat.say('Look at these.');
    await chat.answer('Both seen').waitFor();
    const [run] = stage.wire.sent('agent/run');
    const text = (name) => run.params.prompt.find((b) => b.type === 'resource_link' && b.uri?.endsWith(name))?.text ?? '';
    is('the problem, with its place', /^settings\.json:1: error: /m.test(text('problems.txt')), text('problems.txt'));
    is('the change', text('/settings.json').includes('+{"a": 2,, }'), text('/settings.json'));
    is('what has no diff by its name', text('changes.txt').split('\n').sort().join() === 'deleted: gone.txt,not tracked: new.txt', text('changes.txt'));
    const [taken] = stage.wire.events('run.started').map((e) => e.data.prompt.filter((b) => b.type === 'resource_link'));
    is('the sidecar leaves out what the agent may not read', taken.some((b) => b.uri.endsWith('/closed.txt') && !b.text) && taken.some((b) => b.uri.endsWith('/settings.json') && b.text) && !JSON.stringify(taken).includes('another secret'), JSON.stringify(taken));
    is('no model is sent it', !JSON.stringify(stage.wire.came()).includes('another secret'));
  });
  await check('where there is nothing it says so, and nothing goes along', async () => {
    await chat.idle();
    git('checkout', '-q', '.');
    unlinkSync(join(stage.workspace, 'new.txt'));
    await type('@chan');
    await offer('Uncommitted changes').click();
    await chat.page.locator('.problem', { hasText: 'There are no uncommitted changes' }).waitFor();
    is('no chip', await chip('±').count() + await chip('changes.txt').count() === 0);
  });
  await window.close();
};
