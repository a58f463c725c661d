// The first hour, with an empty home and a key that is not OpenAI's: from the key to its models and to an answer, what is promised of
// questions, runs that fail and what helps, a server at an address that is almost right, and a chord in the box.
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, says, until } from '../checks.mjs';
import { only, sidecars } from '../processes.mjs';

const listen = (server) => new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));

/** A server as many people have one: its API is below /v1, and at its root is nothing of it. */
async function below(url) {
  const server = createServer((incoming, answer) => {
    if (!incoming.url.startsWith('/v1/')) return answer.writeHead(404).end('Not here.');
    const { method, headers } = incoming;
    incoming.pipe(request(url + incoming.url.slice('/v1'.length), { method, headers }, (r) => r.pipe(answer.writeHead(r.statusCode, r.headers))));
  });
  return { server, port: await listen(server) };
}

/** A port of this machine where nobody listens. */
async function nobody() {
  const server = createServer();
  const port = await listen(server);
  await new Promise((done) => server.close(done));
  return port;
}

export default async (stage) => {
  const url = process.env.OPENAI_BASE_URL;
  for (const name of ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_MODEL']) delete process.env[name];
  const note = join(stage.workspace, 'note.txt');
  const config = join(process.env.HOME, '.agent-sidecar/config.jsonc');
  writeFileSync(config, JSON.stringify({ providers: { groq: { baseUrl: url, apiKeyEnv: ['GROQ_API_KEY'] } } }));
  const hasKey = (key) => until(() => only(sidecars(process.env.HOME))?.environment.GROQ_API_KEY === key, `no process has ${key}`);

  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server, { height: 1000 });
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  await window.widen(120);
  const noModel = chat.page.locator('.banner').filter({ hasText: 'No model' });
  await check('it says that there is no model, and three ways to one', async () => {
    await noModel.waitFor();
    is('by their names', ['Set an API key', 'Use a local server', 'Choose a model'].join() === (await noModel.locator('button').allInnerTexts()).join(), (await noModel.locator('button').allInnerTexts()).join());
  });

  // What helps, below the run that has failed.
  const ways = chat.end.locator('.ways [data-part]');
  const way = (name) => chat.end.locator(`.ways [data-part="${name}"]`);
  const offered = () => ways.evaluateAll((all) => all.map((b) => b.dataset.part).join());
  const runs = () => stage.wire.sent('agent/run').map((m) => m.params);
  const started = () => stage.wire.events('run.started').map((e) => e.data);
  const isRetry = (what, n, model) => {
    const last = runs().at(-1);
    is(`${what}: it is a retry, without a prompt`, last.retry === true && last.prompt === undefined, JSON.stringify(last));
    is(`${what}: the log has no second prompt`, started().filter((r) => r.prompt.length > 0).length === n, JSON.stringify(started().map((r) => r.prompt)));
    is(`${what}: it asks ${model}`, started().at(-1).model === model, started().at(-1).model);
  };

  await must('the walkthrough asks for a key', async () => {
    await window.wayToModel('Set API Key');
    await window.pick('GROQ_API_KEY');
    await window.answer('the-first-key-of-groq');
    await hasKey('the-first-key-of-groq');
  });
  await must('then for one of the models that the provider lists', async () => {
    await window.pick('groq/qwen-3');
    await until(() => /"model":\s*"groq\/qwen-3"/.test(read(config)), () => read(config));
    await noModel.waitFor({ state: 'detached' });
    await chat.page.locator('.composer .model-picker', { hasText: 'qwen-3' }).waitFor();
  });
  await must('the first step is done, since that model is there, and the second has opened', async () => {
    await window.stepOpen('chat').waitFor();
    await window.step('model', '[aria-checked="true"]').waitFor();
    is('which nobody has done', await window.step('chat', '[aria-checked="true"]').count() === 0);
    await window.screenshot('the second step');
  });
  await must('and the first prompt is answered', async () => {
    await window.stepOpen('chat').locator('.monaco-button', { hasText: 'Open Chat' }).click();
    await chat.page.locator('.composer textarea.box:focus').waitFor();
    await chat.page.locator('.empty', { hasText: 'I edit files in this folder directly, and you can undo that. I ask before commands outside the sandbox' }).waitFor();
    await window.screenshot('what is promised');
    await chat.say('Change the note.');
    await says(note, 'as it is\n');
  });
  await must('as it was promised: the edit is made, the command is asked about', async () => {
    await chat.question('wc').waitFor();
    is('nothing else was asked', stage.wire.events('approval.requested').length === 1, JSON.stringify(stage.wire.events('approval.requested').map((e) => e.data.title)));
    await chat.decide(chat.question('wc'), 'once');
    await chat.answer('The note is changed').waitFor();
    await chat.idle();
  });
  await must('the walkthrough leads on, and takes no focus', async () => {
    const offer = window.notification('Your agent has answered');
    await offer.waitFor();
    await window.step('chat', '[aria-checked="true"]').waitFor();
    is('the second step is open still', await window.stepOpen('chat').count() === 1);
    await offer.locator('.monaco-button', { hasText: 'Next Step' }).click();
    await window.stepOpen('approvals').waitFor();
    await window.screenshot('the third step');
    await chat.focus();
  });

  await must('a key that is refused: the cause is said first, and what helps', async () => {
    await chat.say('Once more.');
    await chat.end.locator('.stopped.error').filter({ hasText: 'failed: Invalid API key' }).waitFor();
    is('the address is no part of it', !(await chat.end.innerText()).includes('http'), await chat.end.innerText());
    is('the key first', await offered() === 'setKey,retry,chooseModel', await offered());
    is('and only that one stands out', await chat.end.locator('.ways .button:not(.secondary)').count() === 1 && !/secondary/.test(await way('setKey').getAttribute('class')));
    await chat.end.locator('[data-part="detail"]').click();
    await chat.end.locator('.reasoning-text', { hasText: '/chat/completions' }).waitFor();
    await window.screenshot('a key that is refused');
  });
  await must('another key is set from there', async () => {
    await way('setKey').click();
    await window.quickInput.locator('.monaco-list-row').first().filter({ hasText: 'Groq' }).waitFor(); // whose it is
    await window.pick('GROQ_API_KEY');
    await window.answer('the-second-key-of-groq');
    await hasKey('the-second-key-of-groq');
    await window.quickInput.waitFor({ state: 'hidden' });
  });
  await must('and the prompt is not typed again', async () => {
    await way('retry').click();
    await chat.answer('The new key works').waitFor();
    await chat.idle();
    isRetry('with the new key', 2, 'groq/qwen-3');
    is('the chat has it once', await chat.prompts.filter({ hasText: 'Once more.' }).count() === 1);
    is('nothing is offered any more', await ways.count() === 0);
  });

  await must('a model that does not exist: another one is offered', async () => {
    await chat.page.locator('.composer .model-picker').click();
    await chat.page.getByRole('menuitemradio', { name: /^More models/ }).click();
    await window.quickInput.locator('input').first().fill('groq/made-up');
    await window.pick('Use “groq/made-up”');
    await window.pick('In this session');
    await chat.page.locator('.composer .model-picker', { hasText: 'made-up' }).waitFor();
    await chat.say('And now?');
    await chat.end.locator('.stopped.error').filter({ hasText: 'failed: The model `made-up` does not exist' }).waitFor();
    is('first of all', await offered() === 'chooseModel,retry', await offered());
    await window.screenshot('a model that does not exist');
    await way('chooseModel').click();
    await window.pick('groq/qwen-3');
    await chat.page.locator('.composer .model-picker', { hasText: 'qwen-3' }).waitFor();
  });
  await must('which the retry asks', async () => {
    await way('retry').click();
    await chat.answer('Now I am there').waitFor();
    await chat.idle();
    isRetry('with another model', 3, 'groq/qwen-3');
  });

  const another = async (address) => {
    await window.command(window.title('useLocalServer'));
    await window.pick('Another address');
    await window.answer(address);
  };
  await must('where no server answers, that is said, and nothing is stored', async () => {
    const before = read(config);
    await another(`127.0.0.1:${await nobody()}`);
    await window.quickInput.locator('.monaco-list-row', { hasText: 'does not answer' }).waitFor();
    await window.screenshot('no server answers');
    await page.keyboard.press('Escape');
    await window.quickInput.waitFor({ state: 'hidden' });
    is('the configuration is as it was', read(config) === before, read(config));
  });
  await must('a server that takes its time is waited for, and its models come when it answers', async () => {
    const waiting = [];
    const slow = createServer((incoming, answer) => waiting.push(answer));
    await another(`127.0.0.1:${await listen(slow)}/v1`);
    await until(() => waiting.length > 0, 'it is not asked');
    await window.quickInput.locator('input[placeholder="Choose a model, or type its name"]').waitFor(); // the list, while it is empty
    for (const answer of waiting) answer.writeHead(200, { 'content-type': 'application/json' }).end('{"data": [{"id": "slow-1"}]}');
    await window.quickInput.locator('.monaco-list-row', { hasText: 'slow-1' }).waitFor();
    await page.keyboard.press('Escape');
    await window.quickInput.waitFor({ state: 'hidden' });
    slow.closeAllConnections();
    slow.close();
  });
  const local = await below(url);
  await must('what is no address is not taken; one without http and /v1 is understood', async () => {
    await another('ollama');
    await window.quickInput.locator('.quick-input-message', { hasText: 'Must start with http' }).waitFor();
    await window.answer(`127.0.0.1:${local.port}`);
    await window.pick('mine-8b');
    await window.pick('In this session');
    await chat.page.locator('.composer .model-picker', { hasText: 'mine-8b' }).waitFor();
    const { baseUrl } = JSON.parse(read(config)).providers.local;
    is('it is stored as it answers', baseUrl === `http://127.0.0.1:${local.port}/v1`, baseUrl);
    await chat.focus();
    await chat.say('Hello.');
    await chat.answer('Hello from this machine').waitFor();
    await chat.idle();
  });

  await must('a chord in the box runs its command, and its letter is not typed', async () => {
    await chat.box.fill('half a thought');
    await chat.box.press('Control+k');
    await chat.box.press('h');
    await window.quickInput.locator('.monaco-list-row', { hasText: 'Change the note.' }).waitFor();
    is('what was typed is as it was', await chat.box.inputValue() === 'half a thought', await chat.box.inputValue());
  });
  await window.close();
  local.server.closeAllConnections();
  local.server.close();
};
