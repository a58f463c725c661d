// The sidecar is killed in the middle of a run: the extension starts it again, says so, and the session goes on.
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, until } from '../checks.mjs';
import { only, sidecars } from '../processes.mjs';

export default async (stage) => {
  const running = () => sidecars(process.env.HOME);
  const one = () => only(running());
  /** Waits until one runs, and it is another. */
  const another = (pid, what = 'there is no new process') => until(() => { const now = one(); return now && now.pid !== pid && now; }, what);
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server);
  await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  await must('a run is under way', async () => {
    await chat.say('Wait for me.');
    const question = chat.question('sleep 60');
    await question.waitFor();
    await chat.decide(question, 'once');
    await until(() => existsSync(join(stage.workspace, 'begun.txt')), 'the command does not begin');
  });

  const { pid } = await until(one);
  process.kill(pid, 'SIGKILL');
  await must('it is started again', () => another(pid));
  await must('the chat shows the session again, with the call as interrupted', async () => {
    await chat.prompts.filter({ hasText: 'Wait for me.' }).waitFor();
    await chat.page.locator('.row.call.interrupted[data-call="c1"]').waitFor();
  });
  await must('the interrupted work is continued by itself', async () => {
    await chat.answer('I was killed meanwhile.').waitFor();
    await chat.idle();
  });
  await window.screenshot('after the crash');
  await must('a prompt is taken in the same session', async () => {
    await chat.say('Are you there?');
    await chat.answer('Yes, and I know').waitFor();
    await chat.idle();
  });
  const of = (type) => stage.wire.events(type).map((e) => e.sessionId);
  is('in the same session', new Set(of('run.started')).size === 1, of('run.started').join());

  // Five times within three minutes is too often: it is left alone, and a person can start it.
  await must('killed again and again, it is given up', async () => {
    const told = window.notification('five times');
    const answered = () => stage.wire.sent('initialized').length; // one that has not answered yet is not started again
    for (let before = 1; await told.count() === 0;) {
      await until(async () => answered() > before || await told.count() > 0, 'there is no new process that answers');
      before = answered();
      if (await told.count() > 0) break;
      const now = await until(one);
      process.kill(now.pid, 'SIGKILL');
      await until(() => !running().some((p) => p.pid === now.pid), 'it does not die');
    }
  });
  await window.screenshot('given up');
  await check('the chat says so', () => chat.page.getByText('five times').waitFor());
  await must('a button starts it', async () => {
    await window.notification('five times').locator('.monaco-button', { hasText: 'Restart' }).click();
    await until(one, 'there is no new process');
  });
  await check('and the chat is back', async () => {
    await chat.answer('Yes, and I know').waitFor();
    await until(async () => !(await chat.box.isDisabled()), 'the prompt box stays disabled');
  });

  // It hangs: Restart helps, and who waits for an answer is told.
  await check('one that hangs is replaced by Restart, and a prompt that waits is not waited for any more', async () => {
    const { pid: hung } = await until(one);
    process.kill(hung, 'SIGSTOP');
    await chat.say('Do you hear me?');
    await chat.page.locator('.status:not(.none)').waitFor();
    await window.command(window.title('restart'));
    await until(() => running().some((p) => p.pid !== hung), 'there is no new process');
    process.kill(hung, 'SIGKILL'); // what the extension has started and killed is the shell that keeps the wire
    await chat.idle();
    await until(one, 'two run');
  });
  await window.command(window.title('restart')); // it may have found the session in the hands of the other

  // Another program, which starts and says nothing: it holds nothing back.
  const silent = join(stage.dir, 'silent'), its = join(stage.dir, 'silent.pid');
  writeFileSync(silent, `#!/bin/sh\necho $$ >"${its}"\nexec sleep 1000\n`);
  chmodSync(silent, 0o755);
  const path = (program) => writeFileSync(join(server.data, 'Machine/settings.json'), JSON.stringify({ ...stage.machine, 'agentSidecar.path': program }));
  const gone = () => !existsSync(`/proc/${read(its).trim()}`);
  await must('with a program that says nothing, it is starting', async () => {
    path(silent);
    await until(() => read(its) !== '' && !gone(), 'it does not start');
    await chat.page.locator('.banner').filter({ hasText: 'starting' }).waitFor();
  });
  await check('with the setting put right, that one is ended and the chat is back', async () => {
    path(stage.machine['agentSidecar.path']);
    await until(() => gone() && running().length === 1, () => `silent: ${gone() ? 'gone' : 'runs'}, sidecars: ${running().length}`);
    await chat.answer('Yes, and I know').waitFor();
    await until(async () => !(await chat.box.isDisabled()), 'the prompt box stays disabled');
  });
  await check('a program that is taken away while it runs is missing after a crash, and found again by Restart', async () => {
    const link = join(stage.dir, 'link');
    const begin = () => writeFileSync(link, read(stage.machine['agentSidecar.path']), { mode: 0o755 });
    begin();
    const before = await until(one);
    path(link);
    const now = await another(before.pid, 'it is not started');
    await until(async () => !(await chat.box.isDisabled()), 'the prompt box stays disabled');
    rmSync(link);
    process.kill(now.pid, 'SIGKILL');
    await window.notification('names no program').waitFor();
    begin();
    await window.command(window.title('restart'));
    await until(async () => running().length === 1 && !(await chat.box.isDisabled()), 'it is not back');
  });
  await window.close();
};
