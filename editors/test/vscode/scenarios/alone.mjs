// The page without an editor around it, as it is under load and in every palette: page/run.mjs.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { is } from '../checks.mjs';

export default async (stage) => {
  const tests = spawn(process.execPath, [join(import.meta.dirname, '../page/run.mjs'), '--out', join(stage.logs, 'page')], {
    env: { ...process.env, PATH: process.env.PATH }, stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise((done) => tests.on('exit', (status, signal) => done(status ?? signal)));
  is('the tests of the page came to their end', code === 0 || code === 1, `it ended with ${code}`);
};
