// mocha inside the real extension host, over the packaged extension: host/*.test.cjs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { is, must, read } from '../checks.mjs';
import { allowDevelopment } from '../development.mjs';

export default async (stage) => {
  // A folder that would like to say what runs on the machine.
  mkdirSync(join(stage.workspace, '.vscode'));
  writeFileSync(join(stage.workspace, '.vscode/settings.json'), JSON.stringify({ 'agentSidecar.path': '/bin/false' }));

  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  const tests = join(import.meta.dirname, '../host');
  const uri = (path) => `vscode-remote://127.0.0.1:${server.port}${path}`;
  const play = async () => {
    let ended;
    const end = new Promise((done, bad) => {
      ended = done;
      setTimeout(() => bad(new Error('they do not come to an end')), 240_000).unref();
    });
    await window.open({ payload: JSON.stringify([['extensionDevelopmentPath', uri(tests)], ['extensionTestsPath', uri(join(tests, 'index.cjs'))], ['skipWelcome', 'true']]) }, async (page) => {
      await page.exposeFunction('codeAutomationExit', (code) => ended(code));
      await page.addInitScript(allowDevelopment);
    });
    await end;
    await window.close();
  };
  await must('the tests inside the extension host come to their end', play);
  const lines = read(join(stage.logs, 'host.out'));
  process.stdout.write(lines);
  is('every test of the host passed', lines.includes('ok ') && !lines.includes('FAIL'), 'see above');

  // The host's own measure is a figure to read: it says as much about the machine as about the extension.
  console.log(`     note: activation took ${read(join(stage.logs, 'activation')).trim()}; 100 ms are meant to be enough`);
};
