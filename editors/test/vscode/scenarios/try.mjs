import { check, is, must } from '../checks.mjs';
export default async (stage) => {
  const server = await stage.server({ language: process.env.LOCALE, trust: !!process.env.TRUST });
  const w = await stage.window(server);
  await must('opens', () => w.open());
  await w.screenshot('open');
  await must('command', () => w.command(process.env.LOCALE ? '说语言' : 'Say Language'));
  await must('says', async () => { await w.notification('lang').waitFor(); console.log(await w.notification('lang').innerText()); });
  await check('file', () => w.openFile('note.txt'));
  await w.screenshot('file');
  await check('view', async () => { await w.command('Focus on Chat View'); console.log(await w.webview().locator('h1').innerText()); });
  await w.screenshot('view');
  await check('reload', () => w.reload());
  await w.screenshot('reload');
  console.log([...w.strangers]);
};
