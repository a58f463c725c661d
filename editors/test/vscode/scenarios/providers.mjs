// From nothing to an answer, for each provider that takes a key: its key, its list of models, a prompt.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { is, must, read, until } from '../checks.mjs';
import { only, sidecars } from '../processes.mjs';

export default async (stage) => {
  const url = process.env.OPENAI_BASE_URL;
  for (const name of ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_MODEL']) delete process.env[name];
  const config = join(process.env.HOME, '.agent-sidecar/config.jsonc');
  const table = read(join(process.env.TOP, 'editors/vscode/src/start/providers.ts'));
  const providers = [...table.matchAll(/name: '(\w+)', label: '[^']+', variables: \['(\w+)'/g)].map(([, name, variable]) => ({ name, variable }));
  is('there are some', providers.length >= 17, providers.length);
  mkdirSync(join(process.env.HOME, '.agent-sidecar'), { recursive: true });
  // The address of the script in the place of the service's.
  writeFileSync(config, JSON.stringify({ providers: Object.fromEntries(providers.map(({ name, variable }) => [name, { baseUrl: url, apiKeyEnv: [variable] }])) }));

  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  for (const { name, variable } of providers) {
    await must(`${name}: its key leads to its models`, async () => {
      await window.command(window.title('setApiKey'));
      await window.quickInput.locator('input').first().fill(variable); // the list is longer than what is drawn of it
      await window.pick(variable);
      await window.answer(`key-of-${name}`);
      await until(() => only(sidecars(process.env.HOME))?.environment[variable] === `key-of-${name}`, 'no process has it');
      if (name === 'openai') return; // whose usual model needs no choice
      await window.pick(`${name}/only`);
      await until(() => read(config).includes(`"model": "${name}/only"`) || read(config).includes(`"model":"${name}/only"`), () => read(config));
    });
    await must(`${name}: one of them answers`, async () => {
      await chat.page.locator('.composer .model-picker', { hasText: name === 'openai' ? 'gpt-5' : 'only' }).waitFor();
      await chat.say(`Are you there, ${name}?`);
      await chat.answer('Here I am').waitFor();
      await chat.idle();
      await chat.fresh();
    });
  }
  await window.close();
};
