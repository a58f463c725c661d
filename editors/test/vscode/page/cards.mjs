// A card says what it is about once, in little room, and is answered with one key by a person who
// has gone to it.
import { join } from 'node:path';
import { check, is } from '../checks.mjs';
import { ask, later, pressed, question } from './consent.mjs';

const decided = (text, more = {}) => ({ decision: 'ask', why: 'by default', text, ...more });
const command = (id, script, verdicts = [decided(script)], more = {}) => question(id, {
  title: `bash: ${script}`, reason: 'Commands need your approval.',
  preview: { kind: 'command', text: `$ ${script}\n\ndirectory: /home/me/notes\n\n${verdicts.map((v) => `${v.decision} [${v.why}] ${v.text}\n`).join('')}`, verdicts },
  always: [{ id: 'a1', pattern: script, label: `Always in this workspace: ${script}`, workspace: 'w' }], decisions: ['once', 'session', 'always', 'reject'], ...more,
});
const edit = (id, lines) => question(id, {
  title: 'edit greet.go', domain: 'edit', risk: 'write', reason: 'Changes to greet.go need your approval.', decisions: ['once', 'session', 'always', 'reject'],
  preview: { kind: 'diff', text: `--- a/greet.go\n+++ b/greet.go\n@@ -1,${lines} +1,${lines} @@\n${Array.from({ length: lines }, (_, i) => `+line ${i}\n`).join('')}` },
  always: [{ id: 'a1', pattern: 'vault:/greet.go', label: 'Always in this workspace: greet.go', workspace: 'w' }],
});
const script = command('s', 'git fetch origin && npm test -- --watch=false | tee out.log', [
  decided('git fetch origin', { why: 'It uses the network' }), decided('npm test -- --watch=false'), decided('tee out.log', { decision: 'allow', why: 'config rule "tee *"' }), decided('edit vault:/out.log', { decision: 'deny', why: 'config rule "*.log"' }),
]);

export default async function cards(hall) {
  await Promise.all(hall.themes.map((theme) => check(`page: a command on its card, once, and what was decided in sight, in ${theme}`, async () => {
    const { stage, page } = await ask(hall, [command('a', 'node test.js --all')], { theme, width: 300, height: 560 });
    const text = await page.locator('.approval').innerText();
    is('page: the command stands there once', text.split('node test.js --all').length === 2, text);
    await page.screenshot({ path: join(hall.out, `card-${theme}.png`) });
    await stage.close();
    const two = await ask(hall, [script], { theme, width: 300, height: 640 });
    const last = two.page.locator('.verdict').last();
    is('page: all that was decided is in sight, above the answers', await last.evaluate((e) => e.getBoundingClientRect().bottom <= document.querySelector('.approval-buttons').getBoundingClientRect().top && e.getBoundingClientRect().top > 0));
    is('page: a file is named as people know it', (await last.innerText()).includes('edit out.log'), await last.innerText());
    await two.page.locator('.approval-title').click(); // its keys show
    await two.page.screenshot({ path: join(hall.out, `card-script-${theme}.png`) });
    await two.page.evaluate(hall.axe);
    const { violations } = await two.page.evaluate(() => globalThis.axe.run('.approvals', { resultTypes: ['violations'], rules: { region: { enabled: false } } }));
    is(`page: axe finds nothing on a card with its keys, in ${theme}`, violations.length === 0, violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' ; ')}`).join(' | '));
    await two.stage.close();
    const three = await ask(hall, [edit('e', 6)], { theme, width: 300, height: 560 });
    await three.page.locator('.approval').focus();
    await three.page.screenshot({ path: join(hall.out, `card-edit-${theme}.png`) });
    await three.stage.close();
  })));

  await Promise.all([190, 620].map((width) => check(`page: a card where it is ${width} pixels wide`, async () => {
    const { stage, page } = await ask(hall, [script, edit('e', 6)], { width, height: 700, locale: width === 190 ? 'zh-cn' : 'en' });
    const out = await page.evaluate(() => [...document.querySelectorAll('.approval *')].filter((e) => e.offsetWidth && !e.closest('pre') && e.getBoundingClientRect().right > innerWidth).map((e) => e.outerHTML.slice(0, 80)));
    is(`page: nothing of it is cut off at ${width}`, out.length === 0, out.join(', '));
    await page.screenshot({ path: join(hall.out, `card-wide-${width}.png`) });
    await stage.close();
  })));

  await check('page: a rule for one command of several is named', async () => {
    const { stage, page } = await ask(hall, [command('a', 'ls\ngit status', [decided('ls'), decided('git status', { decision: 'allow', why: 'config rule "git *"' })], { always: [{ id: 'a1', pattern: 'ls', label: 'Always in this workspace: ls', workspace: 'w' }] })]);
    const said = await page.locator('.approval .rule').innerText();
    is('page: by its text', /will allow: ls, in this folder/.test(said), said);
    await stage.close();
  });

  const yes = (page) => page.locator('.approval [data-decision="once"]:not([aria-disabled])').first();
  const focused = (page) => page.evaluate(() => document.activeElement.closest('.approval')?.dataset.approval);

  for (const [key, decision] of [['1', 'once'], ['2', 'session'], ['3', 'always'], ['Enter', 'once']]) {
    await check(`page: ${key} on a card that a person has gone to says ${decision}`, async () => {
      const { stage, page, answered } = await ask(hall, [command('a', 'ls')]);
      await yes(page).waitFor();
      await page.locator('textarea.box').focus();
      is('page: the question has not taken the focus', !await focused(page));
      await page.keyboard.press('Alt+ArrowUp');
      await page.keyboard.press(key);
      await page.locator('.approval').waitFor({ state: 'detached' });
      is('page: that is the answer', answered.length === 1 && answered[0].decision === decision && answered[0].digest === 'digest-a', JSON.stringify(answered));
      await stage.close();
    });
  }

  await check('page: 4 asks why not, and digits are then words; Escape closes nothing', async () => {
    const { stage, page, answered } = await ask(hall, [command('a', 'ls')]);
    await yes(page).waitFor();
    await page.locator('.approval-title').click();
    await page.keyboard.press('4');
    await page.locator('.reason:focus').waitFor();
    await page.keyboard.type('1 is enough');
    is('page: it was typed', await page.locator('.reason').inputValue() === '1 is enough');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    is('page: the question is open', await page.locator('.approval').count() === 1 && answered.length === 0);
    await stage.close();
  });

  await check('page: a key that comes with the question answers nothing, wherever the focus is', async () => {
    const { stage, page, answered } = await ask(hall, [command('a', 'ls')], { prepare: (p) => p.addInitScript(`(() => {
      const look = new MutationObserver(() => {
        const card = document.querySelector('.approval');
        if (!card) return;
        look.disconnect();
        card.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
        card.focus();
        for (const key of ['1', 'Enter', '4']) card.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        globalThis.pressed = true;
      });
      look.observe(document, { childList: true, subtree: true });
    })()`) });
    await pressed(page);
    await yes(page).waitFor();
    await later(page);
    is('page: nothing was answered', answered.length === 0 && await page.locator('.rejecting:visible').count() === 0, JSON.stringify(answered));
    await page.keyboard.press('1');
    await page.locator('.approval').waitFor({ state: 'detached' });
    is('page: a moment later it is', answered.length === 1);
    await stage.close();
  });

  await check('page: the card that comes in the place of an answered one has no keys before a person has moved to it', async () => {
    const { stage, page, answered } = await ask(hall, [command('a', 'ls'), command('b', 'rm -r x')]);
    await yes(page).waitFor();
    await page.locator('textarea.box').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('1');
    await page.locator('[data-approval="a"]').waitFor({ state: 'detached' });
    await yes(page).waitFor();
    is('page: the focus is there', await focused(page) === 'b');
    for (const key of ['1', 'Enter', '4']) await page.keyboard.press(key);
    await later(page);
    is('page: nothing was answered', answered.length === 1 && await page.locator('.rejecting:visible').count() === 0, JSON.stringify(answered));
    await page.keyboard.press('Tab');
    await page.keyboard.press('1');
    await page.locator('.approval').waitFor({ state: 'detached' });
    is('page: moved to, it has them', answered.length === 2 && answered[1].approvalId === 'b', JSON.stringify(answered));
    await stage.close();
  });

  await check('page: what was asked anew in the same place has no keys either', async () => {
    const { stage, page, answered } = await ask(hall, [command('a', 'ls')], { applied: () => undefined });
    await yes(page).waitFor();
    await page.locator('textarea.box').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('1');
    await page.locator('.approval-title', { hasText: 'something else' }).waitFor();
    await yes(page).waitFor();
    await page.keyboard.press('1');
    await later(page);
    is('page: one answer', answered.length === 1, JSON.stringify(answered));
    await stage.close();
  });

  await check('page: the window comes back, and a key at once answers nothing', async () => {
    const { stage, page, answered } = await ask(hall, [command('a', 'ls')]);
    await yes(page).waitFor();
    await page.locator('.approval-title').click();
    await page.evaluate(() => {
      window.dispatchEvent(new Event('focus'));
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true, cancelable: true }));
    });
    await yes(page).waitFor();
    await later(page);
    is('page: nothing was answered', answered.length === 0, JSON.stringify(answered));
    await stage.close();
  });

  await check('page: keys with a modifier, or held down, or in the prompt are no answers', async () => {
    const { stage, page, answered } = await ask(hall, [command('a', 'ls')]);
    await yes(page).waitFor();
    await page.locator('.approval-title').click();
    for (const key of ['Control+1', 'Alt+1', 'Meta+1', 'Control+Enter', '7', '0']) await page.keyboard.press(key);
    await page.evaluate(() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '1', repeat: true, bubbles: true, cancelable: true })));
    await page.locator('textarea.box').focus();
    await page.keyboard.type('1');
    await later(page);
    is('page: nothing was answered', answered.length === 0, JSON.stringify(answered));
    await stage.close();
  });

  await check('page: Enter reads on to the end of a diff before it says yes', async () => {
    const { stage, page, answered } = await ask(hall, [edit('e', 60)], { height: 600 });
    await yes(page).waitFor();
    await page.locator('.approval-title').click();
    await page.keyboard.press('Enter'); // which shows all of it
    await page.locator('.approval', { hasText: 'line 59' }).waitFor();
    await yes(page).waitFor();
    let presses = 0;
    for (; answered.length === 0 && presses < 60; presses++) {
      const end = await page.locator('.approval pre.diff').evaluate((e) => e.scrollTop + e.clientHeight >= e.scrollHeight - 2);
      await page.keyboard.press('Enter');
      await later(page);
      if (!end) is(`page: not before its end (${presses})`, answered.length === 0);
    }
    is('page: then it does, once', answered.length === 1 && answered[0].decision === 'once' && presses > 3, `${presses} ${JSON.stringify(answered)}`);
    await stage.close();
  });

  await check('page: Enter says no yes for good, and none to what is no call', async () => {
    const { stage, page, answered } = await ask(hall, [question('a', { domain: 'config', decisions: ['always', 'reject'], always: [], labels: { always: 'Trust this folder', reject: 'Not now' }, preview: { kind: 'text', text: 'Do you trust it?' } })]);
    await page.locator('[data-decision="always"]:not([aria-disabled])').waitFor();
    await page.locator('.approval-title').click();
    await page.keyboard.press('Enter');
    await later(page);
    is('page: nothing was answered', answered.length === 0, JSON.stringify(answered));
    await page.keyboard.press('1');
    await page.locator('.approval').waitFor({ state: 'detached' });
    is('page: its own digit does', answered[0]?.decision === 'always');
    await stage.close();
  });
}
