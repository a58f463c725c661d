// Tools that another extension offers to language models: none reaches the agent before the person has chosen it from the list; a call is
// asked about, runs in the editor, and gives its text, its failure, or ends when the person stops it.
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, until } from '../checks.mjs';
import { allowDevelopment } from '../development.mjs';

export default async (stage) => {
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const uri = `vscode-remote://127.0.0.1:${server.port}${join(import.meta.dirname, '../tools')}`;
  const declared = () => stage.wire.sent('initialize').at(-1)?.params.capabilities.experimental.agentSidecar.tools;
  await must('the window opens', () => window.open({ payload: JSON.stringify([['extensionDevelopmentPath', uri], ['skipWelcome', 'true']]) }, (page) => page.addInitScript(allowDevelopment)));
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  await window.widen(120);
  await must('nothing was chosen, so the agent is told of no tool', async () => {
    await chat.say('Before.');
    await chat.answer('No tools.').waitFor();
    is('none is declared', declared()?.length === 0, JSON.stringify(declared()));
  });
  await must('three of them are chosen', async () => {
    await window.command(window.title('chooseTools'));
    const row = (name) => window.quickInput.locator('.monaco-list-row').filter({ hasText: name }).first();
    await window.quickInput.locator('input[type=text]').first().fill('tickets'); // the editor has tools of its own
    await row('tickets_show').waitFor();
    is('each with what it says of itself', (await row('tickets_show').innerText()).includes('Shows a ticket by its number.'), await row('tickets_show').innerText());
    is('none is chosen before that', await window.quickInput.locator('.monaco-list-row [aria-checked="true"]').count() === 0);
    for (const name of ['tickets_show', 'tickets_lost', 'tickets_slow']) await row(name).locator('.monaco-checkbox, input[type=checkbox]').first().click();
    await window.screenshot('the list');
    await window.quickInput.getByText('OK', { exact: true }).click();
    await window.quickInput.waitFor({ state: 'hidden' });
  });
  await must('the sidecar starts again, and is told of these', async () => {
    await until(() => declared()?.length === 3, () => JSON.stringify(declared()));
    is('by name', ['tickets_lost', 'tickets_show', 'tickets_slow'].every((name) => declared().some((tool) => tool.name === name)), JSON.stringify(declared()));
  });
  const ask = async (prompt, id) => {
    await chat.say(prompt);
    const question = chat.question('tickets_');
    await question.waitFor();
    await window.screenshot(`asked ${id}`);
    await chat.decide(question, 'once');
  };
  await must('a call is asked about, and gives its text', async () => {
    await chat.fresh();
    await ask('Show ticket 7.', 't1');
    await chat.answer('The lamp is broken.').waitFor();
    await chat.idle();
  });
  await check('one that fails says why', async () => {
    await ask('Show the lost one.', 't2');
    await chat.answer('There is no office.').waitFor();
    await chat.idle();
  });
  await check('one that was not chosen is not there', async () => {
    await chat.say('Delete ticket 7.');
    await chat.answer('There is no such tool.').waitFor();
    await chat.idle();
    is('nor was it run', !read(join(stage.logs, 'tools')).includes('deleted'));
  });
  await check('one that runs is told when the person stops it', async () => {
    await ask('Wait for a ticket.', 't4');
    await until(() => read(join(stage.logs, 'tools')).includes('slow began'), 'it does not begin');
    await window.command(window.title('stop'));
    await until(() => read(join(stage.logs, 'tools')).includes('slow was stopped'), 'it is not told');
    await chat.idle();
  });
  await window.close();
};
