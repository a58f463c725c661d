// The main job on the page, against the real sidecar: prompt, stream, answers to questions,
// a sub-agent, a cut output, changes, a queue, stop, edit and resend, sessions, reload.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, is, until } from '../checks.mjs';
import { model, Sidecar } from './sidecar.mjs';
import { batch, open, running } from './stage.mjs';

/** A picture of ten by ten. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

export default async function main(hall) {
  const workspace = join(hall.work, 'workspace');
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, 'greet.go'), 'package main\n\n// Greet says hello.\n//\n// It is called by main.\nfunc Greet() string { return "Hello, world" }\n');
  writeFileSync(join(workspace, 'main.go'), 'package main\n\nfunc main() {\n\tprintln(Greet())\n}\n');
  const script = await model(hall.scripted, join(hall.here, 'main.model'));
  const rules = ['edit', 'bash'].map((domain) => ({ domain, pattern: domain === 'edit' ? 'vault:**' : '*', decision: 'ask' }));
  const begin = async () => {
    const s = new Sidecar(hall.sidecar, { home: join(hall.work, 'home'), workspace, modelUrl: script.url, config: { agents: { runtime: { permission: { rules } } } } });
    await s.start();
    return s;
  };
  let sidecar = await begin();
  const host = {
    capabilities: sidecar.capabilities,
    request: (method, params) => sidecar.request(method, params),
    perform: (a) => (a.do === 'mention' ? ['greet.go', 'main.go'].filter((path) => path.includes(a.query)).map((path) => ({ kind: 'file', path })) : a.do === 'setMode' ? sidecar.request('agent/session/update', { sessionId: a.sessionId, mode: a.mode === 'full_access' ? a.mode : 'agent', confirm: true }) : undefined),
  };
  const stage = await open(hall.browser, hall.url, { host });
  let send = batch(stage);
  const events = []; // of the first session, for what is played without a sidecar
  sidecar.event = (e) => { if (e.sessionId === '0001') events.push(e); send(e); };
  const { page } = stage;
  const shot = (name) => page.screenshot({ path: join(hall.out, `${name}.png`) });
  page.setDefaultTimeout(60_000);
  const box = page.locator('.composer textarea.box');
  const idle = () => page.locator('.status.none').waitFor({ state: 'attached' });

  await check('page: it is empty and says what can be done', async () => { await page.locator('.empty h2').waitFor(); await shot('empty'); });
  await stage.tell({ type: 'whereabouts', whereabouts: { uri: `file://${workspace}/greet.go`, path: 'greet.go', startLine: 6, endLine: 6, empty: false } });
  await check('page: @ offers files, and Enter takes one', async () => {
    await box.fill('');
    await box.pressSequentially('Change the greeting in @gr');
    await page.locator('.mention', { hasText: 'greet.go' }).waitFor();
    await shot('mention');
    await box.press('Enter');
    is('page: the path stands in the prompt', (await box.inputValue()) === 'Change the greeting in @greet.go ', await box.inputValue());
  });
  await check('page: the place of the person is shown and can be left out', async () => {
    const chip = page.locator('.chip.context');
    await chip.click();
    is('page: left out', await chip.getAttribute('aria-pressed') === 'false');
    await chip.click();
  });
  await check('page: a prompt is taken and the answer streams', async () => {
    await box.press('Enter');
    await page.locator('.row.prompt', { hasText: 'Change the greeting' }).waitFor();
    await page.locator('.row.answer strong', { hasText: 'greet.go' }).waitFor();
    is('page: the box is empty again', await box.inputValue() === '');
  });
  const run = stage.heard.find((m) => m.type === 'request' && m.method === 'agent/run');
  is('page: the selection went with it', run?.params.context?.selection?.start.line === 5, JSON.stringify(run?.params.context));

  const edit = page.locator('.approval', { hasText: 'edit greet.go' });
  await check('page: the edit is asked about with its diff', async () => {
    await edit.waitFor();
    await edit.locator('.diff-line.added', { hasText: 'Hello, editor' }).waitFor();
    await page.locator('.status.waiting').waitFor();
    await page.locator('.row.call.waiting[data-call="c3"]').waitFor();
    await page.locator('.plan .bar-now', { hasText: 'Read the greeting' }).waitFor();
    await shot('question');
  });
  const decisions = await edit.locator('[data-decision]').evaluateAll((b) => b.map((x) => x.dataset.decision));
  is('page: it offers what the sidecar offers, and the review', decisions.join() === 'once,session,always,reject,review', decisions.join());
  await check('page: the keyboard alone answers it', async () => {
    await page.keyboard.press('Alt+ArrowUp');
    is('page: the question has the focus', await edit.evaluate((e) => e === document.activeElement));
    await page.keyboard.press('Enter');
    is('page: Enter on the question answers nothing', readFileSync(join(workspace, 'greet.go'), 'utf8').includes('Hello, world'));
    await page.keyboard.press('Tab'); // the diff, which can be scrolled
    for (let i = 0; i < 4 && await page.evaluate(() => document.activeElement.dataset.decision) !== 'once'; i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await edit.waitFor({ state: 'detached' });
    is('page: the focus is still in the conversation', await page.evaluate(() => document.activeElement.matches('.row, .approval')));
  });
  const command = page.locator('.approval', { hasText: 'grep -c Hello' });
  await check('page: the command is asked about, whole', async () => {
    await command.waitFor();
    is('page: the file is changed', readFileSync(join(workspace, 'greet.go'), 'utf8').includes('Hello, editor'));
    await page.locator('.row.call.completed[data-call="c3"] .diff-line.removed').first().waitFor();
    await shot('command');
  });
  await check('page: in a window that is enlarged a question still has its title and its answers', async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 300, height: 240 });
    for (const part of ['.approval-title span:last-child', '[data-decision="once"]', '[data-decision="reject"]']) {
      const seen = () => command.locator(part).evaluate((e) => { const b = e.getBoundingClientRect(); return e.contains(document.elementFromPoint(b.x + b.width / 2, b.y + 9)); });
      await check(`page: ${part} is in sight`, () => until(seen));
    }
    await shot('enlarged');
    await page.setViewportSize(size);
  });
  await check('page: a no with a reason can be begun and left', async () => {
    await command.locator('[data-decision="reject"]').click();
    await command.locator('textarea').waitFor();
    const size = page.viewportSize();
    await page.setViewportSize({ width: 300, height: 420 });
    const seen = () => command.locator('.rejecting button').last().evaluate((b) => new Promise((done) => new IntersectionObserver(([e]) => done(e.intersectionRatio)).observe(b)));
    await check('page: however little room there is, its buttons are in sight', () => until(async () => await seen() === 1));
    await page.setViewportSize(size);
    await command.locator('textarea').focus();
    await page.keyboard.press('Escape');
    await command.locator('[data-decision="once"]').waitFor();
  });
  await check('page: a yes elsewhere withdraws it', async () => {
    const id = await command.getAttribute('data-approval');
    await sidecar.request('agent/approve', { approvalId: id, decision: 'once' });
    await command.waitFor({ state: 'detached' });
  });
  await check('page: a cut output says so and opens', async () => {
    const call = page.locator('.row.call[data-call="c5"]');
    await call.locator('.badge.truncated').waitFor();
    await call.locator('.badge.bad', { hasText: '3' }).waitFor();
    await call.locator('[data-part="artifact"]').click();
    await until(() => stage.done('openArtifact').length === 1, 'the editor is not asked to open the artifact');
  });
  await check('page: the sub-agent has a card with its own rows', async () => {
    const card = page.locator('.row.call.agent[data-call="c6"]');
    await card.waitFor();
    is('page: what it was asked is said once', (await card.innerText()).split('Who calls Greet?').length === 2, await card.innerText());
    await page.locator('.row.call.inset[data-call="e1"]').waitFor();
    await page.locator('.row.answer.inset', { hasText: 'and nobody else' }).waitFor();
  });
  await check('page: the run ends, and nothing is said to run', async () => {
    await page.locator('.row.answer', { hasText: 'Nothing else was touched' }).waitFor();
    await idle();
    await page.locator('.meter:not([hidden])').waitFor();
  });
  await shot('done');
  hall.recorded ??= { events: [...events], capabilities: sidecar.capabilities, session: (await sidecar.request('agent/session/list', {})).sessions.find((s) => s.id === '0001') };
  writeFileSync(join(hall.out, 'recorded.json'), JSON.stringify(hall.recorded));
  await check('page: citations, links, code and changes lead where they say', async () => {
    await page.locator('.row.answer a[data-path="greet.go"][data-line="6"]').last().click();
    await page.locator('.row.answer a[href^="https://example.com"]').click();
    await page.locator('.code-head button').first().click();
    await page.locator('.code-head button').nth(1).click();
    await page.locator('.row.end [data-part="diff greet.go"]').click();
    const wanted = { open: { path: 'greet.go', line: 6 }, openLink: { href: 'https://example.com/greet' }, copy: { text: 'func Greet() string {\n\treturn "Hello, editor"\n}' }, insert: {}, openChange: { path: 'greet.go' } };
    for (const [action, members] of Object.entries(wanted)) {
      const done = await until(() => stage.done(action).at(-1), `nobody is asked to ${action}`);
      is(`page: ${action}`, Object.entries(members).every(([k, v]) => done[k] === v), JSON.stringify(done));
    }
  });
  await check('page: finished code has its colours, and is what it was', async () => {
    const code = page.locator('.row.answer pre.code code').filter({ hasText: 'Hello, editor' });
    await code.locator('.code-keyword', { hasText: 'func' }).waitFor();
    await code.locator('.code-string', { hasText: '"Hello, editor"' }).waitFor();
    is('page: it is the same text', await code.textContent() === 'func Greet() string {\n\treturn "Hello, editor"\n}', await code.textContent());
    is('page: there is nothing in it but text and its colours', await code.evaluate((c) => [...c.querySelectorAll('*')].every((e) => e.tagName === 'SPAN' && /^code-[a-z]+$/.test(e.className) && e.attributes.length === 1)));
    const colours = await page.locator('.row.answer').evaluateAll((rows) => new Set(rows.flatMap((r) => [...r.querySelectorAll('pre.code, pre.code span')].map((e) => getComputedStyle(e).color))).size);
    is('page: they differ', colours > 5, `${colours} colours`);
  });
  await check('page: keep is shown', async () => {
    await page.locator('.row.end [data-part="keep greet.go"]').click();
    const k = await until(() => stage.done('keep').at(-1));
    await stage.tell({ type: 'kept', sessionId: k.sessionId, runId: k.runId, paths: ['greet.go'] });
    await page.locator('.row.end .badge', { hasText: 'kept' }).waitFor();
    is('page: the focus is where the button was', await page.evaluate(() => document.activeElement.matches('.row.end')));
  });
  await check('page: everything that was seen is there after a reload, without live events', async () => {
    const seen = await page.locator('.row').allInnerTexts();
    const again = await open(hall.browser, hall.url, { host, hello: { state: { sessionId: stage.heard.findLast((m) => m.type === 'state')?.state.sessionId, draft: 'half a thought' } } });
    await again.page.locator('.row.answer', { hasText: 'Nothing else was touched' }).waitFor();
    is('page: the draft is kept', await again.page.locator('textarea.box').inputValue() === 'half a thought');
    const texts = (await again.page.locator('.row').allInnerTexts()).join('\n');
    is('page: the last rows are the same', texts.includes(seen.at(-2)), texts.slice(-400));
    await again.page.locator('.row.call.agent .call-head').click();
    await again.page.locator('.row.call.inset[data-call="e1"]').waitFor();
    is('page: nothing went wrong in it', again.problems.length === 0, again.problems.join(' | '));
    await again.close();
  });

  await check('page: while a run works, prompts wait, are changed and removed', async () => {
    await box.fill('Wait.');
    await box.press('Enter');
    await page.locator('.status.busy').waitFor();
    for (const p of ['second', 'third']) {
      await box.fill(p);
      await box.press('Enter');
      await page.locator('.queued', { hasText: p }).waitFor();
    }
    await page.locator('.queued', { hasText: 'second' }).locator('button').nth(1).click();
    await page.locator('.queued textarea').fill('second, changed');
    await box.fill('fourth');
    await box.press('Enter');
    await page.locator('.queued', { hasText: 'fourth' }).waitFor();
    is('page: what is typed into a waiting prompt stays when another comes', await page.locator('.queued textarea').inputValue() === 'second, changed');
    is('page: so does the focus where it is', await page.evaluate(() => document.activeElement.classList.contains('box')));
    await page.locator('.queued textarea').press('Enter');
    await page.locator('.queued', { hasText: 'second, changed' }).waitFor();
    const focused = () => page.evaluate(() => `${document.activeElement.getAttribute('aria-label')}: ${document.activeElement.closest('.queued')?.querySelector('.queued-text').textContent}`);
    is('page: edited, the focus stays with it', await focused() === 'Edit: second, changed', await focused());
    await page.locator('.queued', { hasText: 'fourth' }).locator('button').last().click();
    await page.locator('.queued', { hasText: 'fourth' }).waitFor({ state: 'detached' });
    is('page: removed, the focus goes to its neighbour', await focused() === 'Remove: third', await focused());
    await shot('queue');
    await page.locator('.queued', { hasText: 'third' }).locator('button').last().click();
    await page.locator('.queued', { hasText: 'third' }).waitFor({ state: 'detached' });
    await page.locator('.queued', { hasText: 'second, changed' }).locator('button').last().click();
    await page.locator('.queue').waitFor({ state: 'hidden' });
    is('page: with the last it goes to the prompt', await page.evaluate(() => document.activeElement.classList.contains('box')));
  });
  await check('page: Stop stops', async () => {
    await page.locator('.icon-button.stop').click();
    await page.locator('.row.end', { hasText: /stopp|cancel/i }).last().waitFor();
    await page.locator('.icon-button.stop').waitFor({ state: 'hidden' });
    is('page: the focus goes from the button to the prompt', await box.evaluate((b) => b === document.activeElement));
    await idle();
  });
  await check('page: a prompt is edited and sent again, in a fork', async () => {
    const prompt = page.locator('.row.prompt', { hasText: 'Wait.' });
    await prompt.hover();
    await prompt.locator('[data-part="edit"]').click();
    is('page: it stands in the box', await box.inputValue() === 'Wait.');
    await page.keyboard.press('Escape');
    is('page: Escape leaves it', await box.inputValue() === '');
    await prompt.locator('[data-part="edit"]').click();
    await box.fill('Wait differently.');
    await box.press('Enter');
    await page.locator('.row.prompt', { hasText: 'Wait differently.' }).waitFor();
    is('page: the old one is not in the fork', await page.locator('.row.prompt', { hasText: 'Wait.' }).count() === 0);
    await page.locator('.row.answer', { hasText: 'Nothing else was touched' }).first().waitFor();
    await page.locator('.icon-button.stop').click();
    await idle();
  });
  await check('page: the mode is chosen with the keyboard, and shows', async () => {
    await page.locator('.picker.mode').focus();
    await page.keyboard.press('Enter');
    await page.locator('.menu-item').first().waitFor();
    await shot('menu');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.locator('.picker.mode.full').waitFor();
  });
  await check('page: the sessions are listed, searched and opened', async () => {
    await stage.tell({ type: 'focus', what: 'sessions' });
    await page.locator('.session').nth(1).waitFor();
    await shot('sessions');
    await page.locator('.search').fill('nothing like this');
    await page.locator('.session').first().waitFor({ state: 'detached' });
    await page.locator('.search').fill('greeting');
    await page.locator('.session').nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.row.prompt', { hasText: 'Wait.' }).waitFor();
  });
  await check('page: a session of another process is read along', async () => {
    const locked = { ...host, request: (m, p) => (m === 'agent/session/resume' ? Promise.reject(Object.assign(new Error('session is open in another process'), { data: { kind: 'session_locked', pid: 1 } })) : host.request(m, p)) };
    const other = await open(hall.browser, hall.url, { host: locked, hello: { state: { sessionId: '0001' } } });
    await other.page.locator('.row.prompt', { hasText: 'Change the greeting' }).waitFor();
    await other.page.locator('.banner', { hasText: 'Another window' }).waitFor();
    is('page: nothing can be sent', await other.page.locator('textarea.box').isDisabled());
    await other.page.screenshot({ path: join(hall.out, 'following.png') });
    await other.close();
  });
  await check('page: a session that another window has taken is read along from then on, and nothing that was typed is lost', async () => {
    const taken = { ...host, request: (m, p) => (['agent/run', 'agent/session/resume'].includes(m) && taken.now ? Promise.reject(Object.assign(new Error('session is open in another process'), { data: { kind: 'session_locked', pid: 1 } })) : host.request(m, p)) };
    const other = await open(hall.browser, hall.url, { host: taken, hello: { state: { sessionId: '0001' } } });
    await other.page.locator('.row.prompt', { hasText: 'Change the greeting' }).waitFor();
    taken.now = true;
    await other.page.locator('textarea.box').fill('Mine.');
    await other.page.keyboard.press('Enter');
    await other.page.locator('.banner', { hasText: 'Another window' }).waitFor();
    is('page: what was typed is there', await other.page.locator('textarea.box').inputValue() === 'Mine.');
    taken.now = false;
    await other.page.locator('.banner button').nth(1).click();
    await other.page.locator('.banner').waitFor({ state: 'detached' });
    is('page: taken over, it can be sent to', await other.page.locator('textarea.box').isEnabled());
    await other.close();
  });
  await check('page: a picture is pasted, sent and shown', async () => {
    await stage.tell({ type: 'show', sessionId: null });
    await page.locator('.empty').waitFor();
    await box.evaluate((b, dot) => {
      const data = Uint8Array.from(atob(dot), (c) => c.charCodeAt(0));
      const d = new DataTransfer();
      d.items.add(new File([data], 'a.png', { type: 'image/png' }));
      b.dispatchEvent(new ClipboardEvent('paste', { clipboardData: d, bubbles: true, cancelable: true }));
    }, dot);
    await page.locator('.chip.picture img').waitFor();
    await box.fill('Look at this');
    await box.press('Enter');
    await page.locator('.row.prompt img').waitFor();
    await shot('picture');
    await page.locator('.icon-button.stop').click();
    await idle();
  });
  await check('page: loaded again, the picture is there, and goes with the prompt when that is edited and sent again', async () => {
    const shown = stage.heard.filter((m) => m.type === 'state').at(-1).state.sessionId;
    const seen = await page.locator('.row.prompt img').getAttribute('src');
    const again = await open(hall.browser, hall.url, { host, hello: { state: { sessionId: shown } } });
    const before = send;
    send = batch(again);
    await again.page.locator('.row.prompt img').waitFor();
    is('page: it is the same picture', await again.page.locator('.row.prompt img').getAttribute('src') === seen && seen.startsWith('data:image/png;base64,'), seen);
    await again.page.locator('.row.prompt').hover();
    await again.page.locator('.edit-prompt').click();
    await again.page.locator('.chip.picture img').waitFor();
    await again.page.locator('textarea.box').fill('Look once more');
    await again.page.locator('textarea.box').press('Enter');
    await again.page.locator('.row.prompt', { hasText: 'Look once more' }).locator('img').waitFor();
    const sent = again.heard.filter((m) => m.type === 'request' && m.method === 'agent/run').at(-1).params.prompt.find((b) => b.type === 'image');
    is('page: its name was sent, not its bytes', sent?.uri?.length === 64 && sent.data === undefined, JSON.stringify(sent));
    await again.page.locator('.icon-button.stop').click();
    await again.page.locator('.status.none').waitFor({ state: 'attached' });
    send = before;
    is('page: nothing went wrong with the picture', again.problems.length === 0, again.problems.join(' | '));
    await again.close();
  });
  await check('page: the sidecar dies in the middle of a run; with another one the session goes on', async () => {
    await box.fill('Wait once more.');
    await box.press('Enter');
    await page.locator('.row.prompt', { hasText: 'Wait once more.' }).waitFor();
    await page.locator('.status.busy', { hasText: 'thinking' }).waitFor();
    await sidecar.kill();
    await stage.tell({ type: 'sidecar', sidecar: { state: 'restarting', trusted: true } });
    await page.locator('.banner', { hasText: 'being restarted' }).waitFor();
    sidecar = await begin();
    sidecar.event = (e) => send(e);
    await stage.tell({ type: 'sidecar', sidecar: running(sidecar.capabilities) });
    await page.locator('.banner', { hasText: 'interrupted' }).waitFor();
    await idle();
    await shot('interrupted');
    await box.fill('Are you there?');
    await box.press('Enter');
    await page.locator('.row.answer', { hasText: 'Still here.' }).waitFor();
    await idle();
    is('page: in the same session, each prompt once', await page.locator('.row.prompt').count() === 3, (await page.locator('.row.prompt').allInnerTexts()).join(' | '));
  });
  await check('page: a picture that a tool read is shown in its card', async () => {
    writeFileSync(join(workspace, 'dot.png'), Buffer.from(dot, 'base64'));
    await box.fill('What is in dot.png?');
    await box.press('Enter');
    await page.locator('.row.answer', { hasText: 'It is blue.' }).waitFor();
    await idle();
    const card = page.locator('.row.call[data-call="p1"]');
    await card.locator('.fold').click();
    await card.locator('.pictures img').waitFor();
    is('page: it is what was read', await card.locator('.pictures img').getAttribute('src') === `data:image/png;base64,${dot}`);
  });
  await check('page: code in a list and in a quote has the same: its colours, copy, insert', async () => {
    const step = page.locator('.row.answer ol > li').filter({ hasText: 'See it' });
    await step.locator('.code-string', { hasText: '"Hello"' }).waitFor();
    await step.locator('.code-comment', { hasText: '# said' }).waitFor();
    await page.locator('.row.answer li blockquote .code-keyword', { hasText: 'return' }).waitFor();
    const text = 'echo "Hello" # said\n  ls';
    is('page: it is the same text', await step.locator('pre.code code').textContent() === text, await step.locator('pre.code code').textContent());
    is('page: its language is said', await step.locator('.lang').textContent() === 'sh');
    await step.locator('.code-head button').first().click();
    await step.locator('.code-head button').nth(1).click();
    for (const action of ['copy', 'insert']) await until(() => stage.done(action).at(-1)?.text === text, () => `${action}: ${JSON.stringify(stage.done(action).at(-1))}`);
    const sides = await page.locator('.row.answer').filter({ hasText: 'שלום' }).evaluateAll((rows) => rows.map((r) => {
      const [text, code] = [r.querySelector('p, ul'), r.querySelector('code')];
      return [getComputedStyle(text).unicodeBidi === 'plaintext' || getComputedStyle(text).direction, code && getComputedStyle(code).direction].join();
    }));
    is('page: what is written from right to left begins there, and code does not', sides.join(' ') === 'true,ltr rtl,', sides.join(' '));
    is('page: the keyboard can scroll it', await step.locator('pre.code').getAttribute('tabindex') === '0');
  });
  await check('page: a long text of a prompt is named, and goes with it when it is edited and sent again', async () => {
    await box.fill('words '.repeat(15_000));
    await box.press('Enter');
    await page.locator('.row.prompt .chip', { hasText: 'Long text, 88 KiB' }).waitFor();
    await page.locator('.row.answer', { hasText: 'That is long.' }).waitFor();
    await idle();
    await page.locator('.row.prompt').last().hover();
    await page.locator('.row.prompt').last().locator('.edit-prompt').click();
    await page.locator('.composer .chip', { hasText: 'Long text, 88 KiB' }).waitFor();
    await box.fill('In short?');
    await box.press('Enter');
    await page.locator('.row.prompt', { hasText: 'In short?' }).locator('.chip', { hasText: 'Long text, 88 KiB' }).waitFor();
    await page.locator('.row.answer', { hasText: 'Words.' }).waitFor();
    await idle();
  });
  is('page: nothing went wrong on the way', stage.problems.length === 0, stage.problems.join(' | '));
  await stage.close();
  await sidecar.end();
  await script.end();
}
