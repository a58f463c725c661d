// The rules of permission that are stored: shown in words, taken out after one question, and gone at once in a session that is there.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, until } from '../checks.mjs';

const themes = { 'Dark Modern': 'vscode-dark', 'Light Modern': 'vscode-light' };

export default async (stage) => {
  const config = join(process.env.HOME, '.agent-sidecar/config.jsonc');
  mkdirSync(join(process.env.HOME, '.agent-sidecar'), { recursive: true });
  writeFileSync(config, `{
  // mine
  "mcp": {"docs": {"command": ["true"], "enabled": false}},
  "hooks": {"tool.execute.after": [{"command": ["true"]}]},
  "agents": {"runtime": {"permission": {"rules": [
    {"domain": "bash", "pattern": "whoami", "decision": "allow"},
    {"domain": "edit", "pattern": "vault:/else.txt", "decision": "allow", "workspace": "0123456789abcdef", "exact": true, "by": "always"}
  ]}}}
}
`);
  const server = await stage.server({ machine: stage.machine });
  const window = await stage.window(server, { height: 1200 });
  const { page } = await must('the window opens', () => window.open());
  const chat = new Chat(window);
  await must('a command that a rule allows runs without a question', async () => {
    await chat.focus();
    await chat.say('Who am I?');
    await chat.answer('You are you').waitFor();
    await chat.idle();
  });
  const settings = await must('the rules open', async () => {
    await window.command(window.title('permissionRules'));
    return until(async () => {
      for (const frame of page.frames()) if (await frame.locator('#h-rules').count().catch(() => 0)) return frame;
      return undefined;
    }, 'they do not open');
  });
  const rule = (text) => settings.locator('section[aria-labelledby="h-rules"] > .rules > li').filter({ hasText: text });
  await check('each is said in words: what, where it applies, where it is from', async () => {
    is('that of the file', /Allow: Commands\s+whoami/.test(await rule('whoami').innerText()) && /in every folder · from the configuration file, line 6/.test(await rule('whoami').innerText()), await rule('whoami').innerText());
    is('that of an answer', /Changing files\s+else\.txt/.test(await rule('else.txt').innerText()) && /in another folder \(0123456789abcdef\) · from an answer of yours/.test(await rule('else.txt').innerText()), await rule('else.txt').innerText());
    is('no other can be taken out', await settings.locator('[id^="remove-"]').count() === 2);
  });
  await check('servers, hooks and agents stand beside them', async () => {
    const says = async (id) => settings.locator(`section[aria-labelledby="h-${id}"]`).innerText();
    is('a server', /docs · off/.test(await says('servers')), await says('servers'));
    is('a hook', /tool\.execute\.after · 1 program/.test(await says('hooks')), await says('hooks'));
    is('an agent', /plan · only reads/.test(await says('agents')), await says('agents'));
  });
  for (const name of Object.keys(themes)) {
    await window.command('Preferences: Color Theme');
    await window.choose(name);
    await settings.locator(`body.${themes[name]}`).waitFor();
    await settings.locator('#h-rules').evaluate((e) => e.scrollIntoView());
    await window.screenshot(`the rules, ${name}`);
  }
  await must('it is asked about once, and kept where that is closed', async () => {
    await rule('whoami').locator('button').click();
    await window.dialog('Remove this rule?').waitFor();
    await page.keyboard.press('Escape');
    await window.dialog('Remove this rule?').waitFor({ state: 'detached' });
    is('it is there', await rule('whoami').count() === 1 && read(config).includes('whoami'));
  });
  await must('removed, it is in the list and in the file no more; the comment is', async () => {
    await rule('whoami').locator('button').click();
    await window.agree('Remove this rule?', 'Remove');
    await rule('whoami').waitFor({ state: 'detached' });
    is('the file', !read(config).includes('whoami') && read(config).includes('// mine') && read(config).includes('else.txt'), read(config));
  });
  await must('the same session asks from then on', async () => {
    await page.locator('.tab', { hasText: 'Agent Settings' }).click({ button: 'middle' });
    await page.locator('.tab', { hasText: 'Agent Settings' }).waitFor({ state: 'detached' });
    await chat.focus();
    await chat.say('And now?');
    const question = chat.question('whoami');
    await question.waitFor();
    await chat.decide(question, 'once');
    await chat.answer('Still you').waitFor();
    await chat.idle();
  });
  await window.close();
};
