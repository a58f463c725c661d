// Restricted Mode: the extension runs, the sidecar knows that the folder is not trusted and asks about everything; what the folder says
// about the machine is not heard. Trusted, it is no longer asked.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, says, until } from '../checks.mjs';

export default async (stage) => {
  const note = join(stage.workspace, 'note.txt');
  mkdirSync(join(stage.workspace, '.vscode'));
  writeFileSync(join(stage.workspace, '.vscode/settings.json'), JSON.stringify({ 'agentSidecar.path': '/bin/false', 'agentSidecar.configuration': { 'agents.runtime.mode': 'full_access' } }));

  const server = await stage.server({ machine: stage.machine, trust: true });
  const window = await stage.window(server);
  await must('the window opens', () => window.open());
  await check('it is in Restricted Mode', () => window.status('Restricted Mode').waitFor());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  const initialize = await stage.wire.request('initialize');
  is('the sidecar is told', initialize.params.initializationOptions?.agentSidecar?.trusted === false, JSON.stringify(initialize.params.initializationOptions));
  is('the configuration of the folder is not passed on', !JSON.stringify(initialize.params.initializationOptions).includes('full_access'));
  await check('the chat says that the folder is not trusted', () => chat.page.locator('.banner').filter({ hasText: 'not trusted' }).waitFor());
  const promise = chat.page.locator('.empty');
  is('what it promises of questions is true of such a folder', (await promise.innerText()).includes('I ask before every edit, command and download.'), await promise.innerText());
  await window.screenshot('restricted');

  await must('an edit that is allowed elsewhere is asked about', async () => {
    await chat.say('Change the note.');
    await chat.question('note.txt').waitFor();
  });
  is('nothing is changed before', read(note) === 'as it was\n');
  is('no rule can be stored for it', await chat.question('note.txt').locator('[data-decision="always"]').count() === 0);
  await must('a no with a reason reaches the model', async () => {
    const question = chat.question('note.txt');
    await chat.decide(question, 'reject');
    await question.locator('textarea').fill('Not this file.');
    await question.locator('textarea').press('Enter');
    await chat.answer('Then I leave').waitFor();
    await chat.idle();
    const resolved = await stage.wire.event('approval.resolved', (e) => e.data.decision === 'reject');
    is('the reason is in the log', JSON.stringify(resolved.data).includes('Not this file.') || stage.wire.text().includes('Not this file.'));
  });
  is('the file is as it was', read(note) === 'as it was\n');

  const trust = chat.question('trust');
  await must('while the next edit is asked about, the folder is trusted', async () => {
    await chat.say('Once more.');
    await chat.question('note.txt').waitFor();
    is('trust itself is asked about, too', await trust.count() === 1);
    const answers = await trust.locator('[data-decision]').allInnerTexts().then((all) => all.map((a) => a.replace(/\s*\d$/, ''))); // without their keys
    is('in words of its own', answers.includes('Trust this folder') && answers.includes('Not now') && !answers.some((a) => /always|reject/i.test(a)), answers.join());
    await window.status('Restricted Mode').click();
    await window.page.locator('.workspace-trust-editor').waitFor();
    await window.page.locator('.workspace-trust-editor .monaco-button').filter({ hasText: /^Trust/ }).first().click();
    await window.status('Restricted Mode').waitFor({ state: 'detached' });
  });
  await check('the sidecar is told', () => until(() => stage.wire.sent('workspace/didChangeConfiguration').some((m) => m.params.settings?.agentSidecar?.agentSidecar?.trusted === true), 'it is not'));
  await must('the edit is no longer asked about, and the run goes on', async () => {
    await chat.focus();
    await chat.answer('The note is changed.').waitFor();
    await chat.idle();
    await says(note, 'as it is\n');
  });
  await check('trust is no longer asked about', () => trust.waitFor({ state: 'detached' }));
  await check('the chat no longer says so', () => chat.page.locator('.banner').filter({ hasText: 'not trusted' }).waitFor({ state: 'detached' }));
  await check('what a new session promises is what is true now', async () => {
    await chat.fresh();
    await promise.filter({ hasText: 'I edit files in this folder directly' }).waitFor();
  });
  is('it is the same process', stage.wire.sent('initialize').length === 1);
  await window.screenshot('trusted');
  await window.close();
};
