// A key goes from the person into the secret storage and into the environment of the process, and is to be found nowhere else.
import { spawnSync } from 'node:child_process';
import { check, is, must, until } from '../checks.mjs';
import { only, sidecars } from '../processes.mjs';

const key = 'a-key-that-no-file-may-hold-0123456789';

export default async (stage) => {
  delete process.env.OPENAI_API_KEY;
  const running = () => sidecars(process.env.HOME);
  const withKey = (value) => until(() => { const one = only(running()); return one && one.environment.OPENAI_API_KEY === value; },
    () => `the processes have ${JSON.stringify(running().map((p) => [p.pid, p.environment.OPENAI_API_KEY]))}`);

  const server = await stage.server({ machine: { ...stage.machine, 'agentSidecar.environment': { OPENAI_API_KEY: 'from-the-settings', COLOUR: 'blue' }, 'agentSidecar.trace.server': 'verbose' } });
  const window = await stage.window(server);
  await must('the window opens', () => window.open());
  await must('without a key the process has none, also not one from the settings', () => withKey(undefined));
  is('another variable of the settings reaches it', running()[0].environment.COLOUR === 'blue');

  await check('the key is asked for', async () => {
    await window.command('Agent: Set API Key');
    await window.pick('OPENAI_API_KEY');
    await window.quickInput.locator('input[type=password]').waitFor();
    await window.answer(key);
  });
  await window.screenshot('set');
  await must('the process is started again with the key', () => withKey(key));
  const first = running()[0].pid;
  await check('it is there after the window was loaded again', async () => {
    await window.reload();
    await until(() => (only(running())?.pid ?? first) !== first, 'there is no new process');
    await withKey(key);
  });

  const found = spawnSync('grep', ['-raIl', '-e', key, stage.dir, stage.logs], { encoding: 'utf8' }).stdout;
  is('no file, setting, log, trace or wire holds it', found === '', found);

  await check('it is taken away again', async () => {
    await window.command('Agent: Remove API Key');
    await window.pick('OPENAI_API_KEY');
    await withKey(undefined);
  });
  await window.close();
};
