// What a page owes to people: contrast and names in every palette, the keyboard, both
// languages, less motion, clear words where something is in the way, and nothing of a
// model's or a file's text but as text.
import { join } from 'node:path';
import { check, is, until } from '../checks.mjs';
import main from './main.mjs';
import { replay } from './replay.mjs';
import { open } from './stage.mjs';

export default async function care(hall) {
  if (!hall.recorded) await main(hall);
  const { recorded } = hall;
  const asked = recorded.events.filter((e) => e.type === 'approval.requested').map((e) => e.data);
  const last = recorded.events.findLast((e) => e.type === 'approval.requested').seq;
  const waiting = { events: recorded.events.filter((e) => e.seq !== undefined && e.seq <= last), approvals: asked.slice(-1), queue: [{ itemId: 'i1', runId: 'r9', prompt: [{ type: 'text', text: 'And then this.' }], createdAt: '' }] };
  const state = { sessionId: '0001' };
  const behind = recorded.events.findLast((e) => e.seq !== undefined).seq;
  const failed = [
    { type: 'run.started', data: { prompt: [{ type: 'text', text: 'And once more.' }], agent: 'build', model: 'box/scripted', kind: 'prompt' } },
    { type: 'run.ended', data: { stopReason: 'error', usage: {}, changes: [], error: { kind: 'model_auth', message: 'the key is refused', detail: 'asking box/scripted: status 401' } } },
  ].map((e, i) => ({ sessionId: '0001', seq: behind + 1 + i, time: '', runId: 'r99', ...e }));
  const where = { uri: 'file:///w/greet.go', path: 'greet.go', startLine: 1, endLine: 3, empty: false };

  async function axe(stage, what) {
    await stage.page.evaluate(hall.axe);
    const r = await stage.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'], rules: { 'landmark-one-main': { enabled: true }, region: { enabled: false } } }));
    is(`page: axe finds nothing: ${what}`, r.violations.length === 0, r.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.html.slice(0, 120)} ${n.any[0]?.message ?? ''}`).join(' ; ')}`).join(' || '));
  }

  /** Everything that is in the document and can be unfolded. */
  const unfold = async (stage) => {
    for (let i = 0; i < 30 && await stage.page.evaluate(() => { const f = document.querySelector('.row .fold[aria-expanded="false"]'); f?.click(); return !!f; }); i++) await stage.page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
  };

  await Promise.all(hall.themes.map(async (theme) => {
    const stage = await open(hall.browser, hall.url, { theme, host: replay(recorded, waiting), hello: { state } });
    await stage.page.locator('.approval').waitFor();
    await stage.tell({ type: 'whereabouts', whereabouts: where });
    await stage.page.locator('.chip.context').waitFor();
    await axe(stage, `${theme}, a question`);
    await stage.page.screenshot({ path: join(hall.out, `${theme}-question.png`) });
    await stage.page.locator('.picker.mode').click();
    await axe(stage, `${theme}, a menu`);
    await stage.page.keyboard.press('Escape');
    await stage.tell({ type: 'focus', what: 'sessions' }); // the row of the view has the button
    await stage.page.locator('.session').first().waitFor();
    await axe(stage, `${theme}, the sessions`);
    await stage.close();
    const done = await open(hall.browser, hall.url, { theme, host: replay(recorded, { events: [...recorded.events.filter((e) => e.seq !== undefined), ...failed] }), hello: { state, sidecar: { state: 'running', trusted: false, capabilities: { ...recorded.capabilities, models: [] } } } });
    await done.tell({ type: 'events', events: [{ sessionId: '0001', afterSeq: 999, time: '', type: 'notice', data: { severity: 'error', title: 'Something went wrong.' } }, { sessionId: '0001', afterSeq: 999, time: '', type: 'notice', data: { severity: 'warning', title: 'Something is odd.' } }] });
    await done.page.locator('.row.end .ways').waitFor();
    await done.page.locator('.row.end .changes').waitFor();
    await done.page.locator('pre.code .code-name').last().waitFor(); // of the last fence
    await unfold(done);
    await axe(done, `${theme}, the end of a run with banners`);
    await done.page.screenshot({ path: join(hall.out, `${theme}-done.png`) });
    await done.close();
  }));

  await check('page: Chinese', async () => {
    const stage = await open(hall.browser, hall.url, { locale: 'zh-cn', host: replay(recorded, waiting), hello: { state } });
    await stage.page.locator('.approval [data-decision="once"]', { hasText: '一次' }).waitFor();
    await stage.page.screenshot({ path: join(hall.out, 'chinese.png') });
    is('page: the language is named', await stage.page.evaluate(() => document.documentElement.lang) === 'zh-cn');
    await stage.close();
  });

  await Promise.all([260, 300, 700].map((width) =>
    check(`page: nothing is cut off where it is ${width} pixels wide`, async () => {
      const stage = await open(hall.browser, hall.url, { width, host: replay(recorded, waiting), hello: { state } });
      await stage.page.locator('.approval').waitFor();
      await stage.tell({ type: 'whereabouts', whereabouts: where });
      await stage.page.locator('.chip.context').waitFor();
      const out = await stage.page.evaluate(() => [...document.querySelectorAll('.composer button, .approval button, .queued button')].filter((b) => b.offsetWidth && b.getBoundingClientRect().right > innerWidth).map((b) => b.title || b.textContent));
      is(`page: every button is in sight at ${width}`, out.length === 0, out.join(', '));
      const tops = await stage.page.evaluate(() => [...document.querySelectorAll('.composer .tools button')].filter((b) => b.offsetWidth).map((b) => b.getBoundingClientRect()).map((r) => Math.round(r.top + r.height / 2)));
      if (width >= 300) is(`page: mode, model and send are one row at ${width}`, Math.max(...tops) - Math.min(...tops) < 6, tops.join(', '));
      await stage.page.screenshot({ path: join(hall.out, `wide-${width}.png`) });
      const box = stage.page.locator('textarea.box');
      await box.fill('words of a prompt '.repeat(8));
      await stage.page.setViewportSize({ width: width - 60, height: 760 });
      await check(`page: all that was typed is in sight when ${width} become fewer`, () => stage.page.waitForFunction(() => { const b = document.querySelector('textarea.box'); return b.scrollHeight <= b.clientHeight; }));
      await stage.close();
    })));

  await check('page: less motion', async () => {
    const stage = await open(hall.browser, hall.url, { reducedMotion: 'reduce', host: replay(recorded, waiting), hello: { sidecar: { state: 'starting', trusted: true } } });
    const spin = stage.page.locator('.banner .codicon-modifier-spin');
    await spin.waitFor();
    is('page: nothing turns', await spin.evaluate((e) => getComputedStyle(e).animationName) === 'none');
    await stage.close();
  });

  await check('page: the rows are walked with the arrow keys, and all is reached with Tab', async () => {
    const stage = await open(hall.browser, hall.url, { host: replay(recorded), hello: { state } });
    await stage.page.locator('.row.end').waitFor();
    await stage.page.locator('textarea.box').focus();
    await stage.page.keyboard.press('Alt+ArrowUp');
    const at = () => stage.page.evaluate(() => document.activeElement.getAttribute('aria-posinset'));
    const last = Number(await at());
    await stage.page.keyboard.press('ArrowUp');
    await stage.page.keyboard.press('ArrowUp');
    is('page: two up', Number(await at()) === last - 2, `${await at()} of ${last}`);
    await stage.page.keyboard.press('Home');
    await stage.page.waitForFunction(() => document.activeElement.getAttribute('aria-posinset') === '1');
    await stage.page.keyboard.press('Escape');
    is('page: Escape goes to the prompt', await stage.page.evaluate(() => document.activeElement.classList.contains('box')));
    const reached = new Set();
    for (let i = 0; i < 60; i++) {
      await stage.page.keyboard.press('Tab');
      reached.add(await stage.page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent));
    }
    for (const name of ['Prompt', 'Attach an image']) is(`page: Tab reaches “${name}”`, reached.has(name), [...reached].join(', '));
    await stage.close();
  });

  const why = 'because\u202e of this'; // the extension says it, in words of its own
  const troubles = { missing: 'of this', failed: 'of this', stopped: 'not running', restarting: 'being restarted' };
  await Promise.all(Object.entries(troubles).map(([at, words]) =>
    check(`page: it says so when the sidecar is ${at}`, async () => {
      const stage = await open(hall.browser, hall.url, { host: replay(recorded), hello: { sidecar: { state: at, trusted: true, ...(words === 'of this' && { message: why }) } } });
      await stage.page.locator('.banner', { hasText: words }).waitFor();
      is('page: nothing can be sent then', await stage.page.locator('textarea.box').isDisabled());
      is('page: and only who can be helped soon is asked what shall be done', (await stage.page.locator('.empty:visible').count()) === (at === 'restarting' ? 1 : 0));
      if (at === 'missing') {
        await stage.page.locator('.banner button').first().click();
        await until(() => stage.done('command')[0]?.command === 'agentSidecar.openPathSetting', 'its button does not lead to the setting');
        is('page: what cannot be seen is shown', (await stage.page.locator('.banner').innerText()).includes('because<U+202E> of this'));
        await stage.page.screenshot({ path: join(hall.out, 'missing.png') });
      }
      await stage.close();
    })));

  await check('page: what a request has failed of is said once where the sidecar ends of the same', async () => {
    const host = { ...replay(recorded), request: (method) => Promise.reject(Object.assign(new Error(`It ended too often: ${method}`), { data: { kind: 'internal' } })) };
    const stage = await open(hall.browser, hall.url, { host, hello: { state } });
    const said = stage.page.locator('.banner', { hasText: 'It ended too often' });
    await said.waitFor();
    await stage.tell({ type: 'sidecar', sidecar: { state: 'failed', trusted: true, message: await said.innerText() } });
    await said.locator('button').first().waitFor();
    is('page: there is one banner', await said.count() === 1, await said.allInnerTexts());
    await stage.close();
  });

  await check('page: code gets its colours when its fence has ended, in all of its rows', async () => {
    const stage = await open(hall.browser, hall.url, { host: replay(recorded, { events: recorded.events.filter((x) => x.seq <= 2) }), hello: { state } });
    const { page } = stage;
    await page.locator('.row.prompt').waitFor();
    const say = (text) => stage.tell({ type: 'events', events: [{ sessionId: '0001', afterSeq: 2, time: '', runId: recorded.events.find((x) => x.seq === 2).runId, type: 'message.delta', data: { messageId: 'm', text } }] });
    const lines = Array.from({ length: 150 }, (_, i) => (i < 100 ? `const a${i} = "x";` : i === 100 ? '/* a comment' : i < 140 ? `of many lines: ${i}` : i === 140 ? '*/' : `const b${i} = 2;`));
    await say(`\`\`\`ts\n${lines.join('\n')}\n`);
    await page.locator('pre.code', { hasText: 'b149' }).waitFor();
    await page.evaluate(() => new Promise((go) => requestIdleCallback(go)));
    is('page: none before', await page.locator('pre.code span').count() === 0);
    await say('```\n\nThat is all.');
    await page.locator('pre.code.ends .code-keyword', { hasText: 'const' }).last().waitFor();
    await page.locator('pre.code.begins .code-string', { hasText: '"x"' }).last().waitFor();
    is('page: what began in one row goes on in the next', await page.locator('pre.code.ends code > :first-child').evaluate((e) => e.className === 'code-comment' && e.textContent.endsWith('*/')));
    is('page: every line is there', (await page.locator('pre.code').allTextContents()).join('\n') === lines.join('\n'));
    is('page: nothing went wrong', stage.problems.length === 0, stage.problems.join(' | '));
    await stage.close();
  });

  await check('page: text of a model, a tool and a file is text', async () => {
    const evil = '<img src=x onerror="document.title=1"> \u202eevil\u200b [a](command:x) ![i](http://evil.example/i.png) <script>document.title=2</script>';
    let seq = 2;
    const e = (type, data) => ({ sessionId: '0001', seq: ++seq, time: '', runId: 'r', type, data });
    const host = replay(recorded, { events: [
      ...recorded.events.filter((x) => x.seq <= 2),
      e('message.assistant', { messageId: 'm', text: `${evil}\n\n\`\`\`${evil}\n${evil}\n\`\`\``, reasoning: evil, model: 'm' }),
      e('tool.requested', { callId: 'x', tool: evil, input: { path: evil }, title: evil }),
      e('tool.returned', { callId: 'x', tool: evil, status: 'failed', text: evil, truncated: true, artifact: { artifactId: 'a', uri: 'x', path: evil }, durationMs: 1 }),
      e('plan.updated', { items: [{ id: '1', text: evil, status: evil }] }),
      e('context.compacted', { trigger: 'auto', summary: evil, before: 1, after: 1, ok: true, droppedTools: [], transcript: '' }),
      e('run.ended', { stopReason: 'error', error: { kind: evil, message: evil }, usage: {}, changes: [{ path: evil, uri: 'file:///x', kind: evil, additions: 1, deletions: 0, callId: 'x' }] }),
    ], approvals: [{ ...asked[0], approvalId: 'q"><img>', title: evil, reason: evil, risk: evil, preview: { kind: evil, text: evil }, always: [{ id: '1', pattern: evil, label: evil }, { id: '2', pattern: evil, label: evil }] }] });
    const stage = await open(hall.browser, hall.url, { host, hello: { state } });
    const asked_ = [];
    stage.page.on('request', (r) => asked_.push(r.url()));
    await stage.page.locator('.row.call').last().waitFor().catch(async (e) => { throw new Error(`${e.message} ${stage.problems.join(' | ')} ${(await stage.page.locator('.app').innerText()).slice(0, 600)}`); });
    await unfold(stage);
    await stage.page.locator('.approval [data-decision="always"]').click();
    is('page: no element came of it', await stage.page.evaluate(() => document.querySelectorAll('img, body script ~ script, iframe').length) === 0);
    is('page: nothing ran', await stage.page.title() === 'agent-sidecar');
    is('page: no link leads to a command', await stage.page.evaluate(() => [...document.querySelectorAll('a')].every((a) => /^(https?:|#)/.test(a.getAttribute('href')))));
    const text = await stage.page.evaluate(() => document.body.innerText);
    is('page: nothing that hides is in the text', !/[\u202e\u200b]/.test(text) && text.includes('<U+202E>'));
    is('page: nothing was loaded', asked_.length === 0, asked_.join());
    is('page: the policy stood', stage.problems.length === 0, stage.problems.join(' | '));
    await stage.page.screenshot({ path: join(hall.out, 'hostile.png') });
    await stage.close();
  });
}
