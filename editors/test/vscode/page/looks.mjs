// What is to be read and pressed in little room and in every palette: the cards of questions and plans, what stands beside
// prompts and calls, the sessions by day. Each is looked at by axe, nothing of it is cut off, and there is a picture of it.
import { join } from 'node:path';
import { check, is } from '../checks.mjs';
import { later, question } from './consent.mjs';
import { replay } from './replay.mjs';
import { open } from './stage.mjs';

const capabilities = { version: 1, agents: [], models: ['box/scripted'], methods: ['agent/models', 'agent/session/restore'], approvals: { decisions: [] } };
const session = { id: '0001', title: 'Looks', agent: 'build', mode: 'agent', model: '', state: 'running', createdAt: '', updatedAt: '', usage: {} };
const numbered = (events) => events.map(([type, data, more], i) => ({ sessionId: '0001', seq: i + 1, time: new Date().toISOString(), runId: 'r1', type, data, ...more }));
const opened = ['session.opened', { agent: 'build', mode: 'agent' }];
const prompt = (text) => ['run.started', { prompt: [{ type: 'text', text }], agent: 'build', model: 'box/scripted', kind: 'prompt' }];

const asked = {
  questionId: 'q1', callId: 'c1', questions: [
    { header: 'Database', question: 'Which database shall the service keep its sessions in?', options: [{ label: 'PostgreSQL', description: 'One server more, and it is the one that the other services use' }, { label: 'SQLite', description: 'A file beside the program' }], multiple: false },
    { header: 'Platforms', question: 'Which platforms are to be built?', options: ['linux/amd64', 'darwin/arm64', 'windows/amd64'].map((label) => ({ label, description: '' })), multiple: true },
    { question: 'What is the service called?', options: [] },
  ],
};
const plan = question('p', {
  domain: 'plan', tool: 'plan_ready', title: 'Plan: sessions in a database', decisions: ['once', 'reject'], editable: true,
  preview: { kind: 'text', text: '# Sessions in a database\n\n1. Add `internal/store` with the two statements.\n2. Write `store_test.go` **first**.\n\n| file | change |\n| --- | --- |\n| `main.go` | opens it |\n| `internal/store/store.go` | is new |\n\n> The old files are read once and left.\n\n```go\nfunc Open(path string) (*Store, error)\n```\n' },
});
const call = (id, tool, title, more, requested = {}) => [
  ['tool.requested', { callId: id, tool, input: {}, title, ...requested }],
  ['tool.returned', { callId: id, tool, status: 'completed', text: 'some lines\n', durationMs: 20, ...more }],
];
const rows = numbered([
  opened, prompt('Look at the handlers of the server, and say which of them can wait for ever when nobody reads'),
  ...call('c1', 'read', 'read internal/server/handlers/connection.go', { durationMs: 12, text: 'x'.repeat(5000) }),
  ...call('c2', 'bash', 'bash: go test ./internal/server/... -run TestHandlers -count=1', { durationMs: 83_400, exitCode: 1, status: 'failed', text: 'FAIL\n'.repeat(9000), truncated: true, artifact: { artifactId: 'a', uri: 'agent-artifact:/a', path: '.agent-output/0001/c2.txt', bytes: 3_400_000 } }),
  ['message.assistant', { messageId: 'm', text: 'Two of them can.', model: 'm' }],
  ['run.ended', { stopReason: 'end_turn', usage: {}, changes: [] }],
  ['run.started', { ...prompt('Mend them.')[1] }, { runId: 'r2' }],
  ['tool.requested', { callId: 'c3', tool: 'bash', input: { command: 'make' }, title: 'bash: make all the targets of this long Makefile' }, { runId: 'r2' }],
  ['tool.decided', { callId: 'c3', decision: 'allow', by: 'sandbox' }, { runId: 'r2' }],
]);
const day = (n) => new Date(Date.now() - n * 86_400_000).toISOString();
const sessions = [
  { id: '0001', title: 'Looks at the handlers of the server and says which wait', state: 'running', updatedAt: day(0) },
  { id: '0002', title: 'A fork of it, with a title that is longer than any side bar is wide', parent: { sessionId: '0001', atSeq: 3 }, state: 'waiting_approval', updatedAt: day(0) },
  { id: '0003', title: 'Full', mode: 'full_access', state: 'idle', updatedAt: day(1) },
  { id: '0004', title: '', state: 'idle', updatedAt: day(3) },
  { id: '0005', title: 'Old', state: 'error', updatedAt: day(400) },
].map((s) => ({ ...session, ...s }));

/** What is shown, and how one waits for it. */
const scenes = {
  question: { events: numbered([opened, prompt('Ask me.'), ['tool.requested', { callId: 'c1', tool: 'ask_user', input: {}, title: 'asks' }], ['question.asked', asked]]), ready: '.approval.question', asks: true },
  plan: { events: numbered([opened, prompt('Plan it.')]), approvals: [plan], ready: '.plan-card', asks: true },
  rows: { events: rows, ready: '.row.call[data-call="c3"]', show: (page) => page.locator('.row.prompt .bubble').first().hover() },
  sessions: { events: rows, ready: '.row.call[data-call="c3"]', show: async (page, stage) => {
    await stage.tell({ type: 'focus', what: 'sessions' });
    await page.locator('.session').nth(4).waitFor();
  } },
};

/** What leads out of the page to the right, and titles that end without saying that there is more. */
const cut = () => {
  const silent = (e) => e.matches('.session-title, .session-title span, .session-facts, .call-title') && e.scrollWidth > e.clientWidth + 1
    && (getComputedStyle(e).textOverflow !== 'ellipsis' || getComputedStyle(e).display.includes('flex'));
  return [...document.querySelectorAll('.app *')].filter((e) => e.offsetWidth > 1 && !e.closest('pre, .table') && (e.getBoundingClientRect().right > innerWidth + 1 || silent(e))).map((e) => e.outerHTML.slice(0, 100));
};

export default async function looks(hall) {
  for (const [name, scene] of Object.entries(scenes)) {
    for (const width of [190, 300, 620]) {
      await Promise.all(hall.themes.map((theme) => check(`page: ${name}, ${width} pixels wide, in ${theme}`, async () => {
        const host = replay({ session, capabilities, events: scene.events }, { approvals: scene.approvals });
        const { request } = host;
        host.request = async (method, params) => (method === 'agent/session/list' ? { sessions, nextCursor: null } : request(method, params));
        const stage = await open(hall.browser, hall.url, { theme, width, height: 760, host, hello: { state: { sessionId: '0001' } } });
        const { page } = stage;
        await page.locator(scene.ready).first().waitFor();
        await scene.show?.(page, stage);
        await later(page);
        const out = await page.evaluate(cut);
        is(`page: nothing of ${name} is cut off at ${width} in ${theme}`, out.length === 0, out.join(' ; '));
        if (scene.asks) is(`page: the person is waited for: ${name}, ${width}, ${theme}`, await page.locator('.status.waiting').count() === 1);
        await page.evaluate(hall.axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'], rules: { region: { enabled: false } } }));
        is(`page: axe finds nothing: ${name}, ${width}, ${theme}`, violations.length === 0, violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.html.slice(0, 160)} ${n.any[0]?.message ?? ''}`).join(' ; ')}`).join(' | '));
        await page.screenshot({ path: join(hall.out, `look-${name}-${width}-${theme}.png`) });
        is(`page: nothing went wrong: ${name}, ${width}, ${theme}`, stage.problems.length === 0, stage.problems.join(' | '));
        await stage.close();
      })));
    }
  }
}
