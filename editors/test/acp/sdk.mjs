// The SDK of the protocol: a prompt with a diff that is allowed, eight questions at once, a no, a cancel, a load, and what no client should send.
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { check, holds, until } from './person.mjs';

const [command, ...words] = process.env.SIDECAR_COMMAND.split(' ');

/** Runs use with a client that is connected to a sidecar of its own. */
async function connected(answer, use) {
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const updates = [];
  const app = acp.client()
    .onRequest('session/request_permission', ({ params }) => answer(params))
    .onNotification('session/update', ({ params }) => { updates.push(params); });
  await app.connectWith(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)), async (agent) => {
    await agent.request('initialize', { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
    await use(agent, updates, child);
  });
  child.stdin.end();
  return new Promise((resolve) => (child.exitCode !== null ? resolve(child.exitCode) : child.on('close', resolve)));
}
const here = { cwd: process.cwd(), mcpServers: [] };
const select = (optionId) => ({ outcome: { outcome: 'selected', optionId } });
const prompt = (sessionId, text) => ({ sessionId, prompt: [{ type: 'text', text }] });
const said = (updates, of) => updates.filter((u) => u.sessionId === of && u.update.sessionUpdate === 'agent_message_chunk').map((u) => u.update.content.text).join('');

let asked = [];
let decide = (p) => select(p.options.some((o) => o.optionId === 'once') ? 'once' : 'reject');
let first = '';
const code = await connected((p) => { asked.push(p); return decide(p); }, async (agent, updates) => {
  const session = await agent.request('session/new', here);
  first = session.sessionId;
  check('the options are there', session.configOptions.some((o) => o.id === 'mode' && o.currentValue === 'edit'));
  let end = await agent.request('session/prompt', prompt(first, 'Change the note.'));
  check('a prompt ends', end.stopReason === 'end_turn' && said(updates, first) === 'Changed.');
  const diff = asked.flatMap((p) => p.toolCall.content ?? []).find((c) => c.type === 'diff');
  check('its edit is shown as two texts', diff?.oldText === 'as it was\n' && diff?.newText === 'as it is\n');
  check('and made', holds('note.txt', 'as it is\n'));

  decide = (p) => (p.toolCall.kind === 'execute' ? new Promise((resolve) => { waiting.push(resolve); }) : select('reject'));
  const waiting = [];
  const many = await Promise.all(Array.from({ length: 8 }, () => agent.request('session/new', here)));
  const runs = many.map((s) => agent.request('session/prompt', prompt(s.sessionId, 'Make a folder.')));
  check('eight questions are open at once', await until(() => waiting.length === 8));
  for (const answer of waiting.reverse()) answer(select('reject'));
  check('each is answered', (await Promise.all(runs)).every((r) => r.stopReason === 'end_turn'));

  asked = [];
  decide = () => new Promise(() => {}); // a client that answers nothing
  const open = agent.request('session/prompt', prompt(first, 'Make a folder.'));
  await until(() => asked.some((p) => p.toolCall.kind === 'execute'));
  await agent.notify('session/cancel', { sessionId: first });
  check('a cancel ends a prompt whose question nobody answers', (await open).stopReason === 'cancelled');

  for (const [method, params] of [
    ['session/prompt', { sessionId: first }], ['session/prompt', { sessionId: 5, prompt: {} }], ['session/new', { cwd: '../..', mcpServers: [] }],
    ['session/load', { sessionId: '../../etc', ...here }], ['session/set_mode', { sessionId: first, modeId: {} }], ['_agentSidecar/config', { op: [] }],
    ['_agentSidecar/run', 'text'], ['terminal/create', {}], ['__proto__', { __proto__: 1 }],
  ]) {
    const wrong = await agent.request(method, params).then(() => undefined, (e) => e);
    check(`${method} with ${JSON.stringify(params)} is refused`, wrong !== undefined);
  }
  end = await agent.request('session/prompt', prompt(first, 'Say something.'));
  check('and the next good prompt is answered', end.stopReason === 'end_turn');
});
check('it ends with its input', code === 0);

await connected(() => select('reject'), async (agent, updates) => {
  await agent.request('session/load', { sessionId: first, ...here });
  const kinds = updates.map((u) => u.update.sessionUpdate);
  check('another process loads the session', kinds[0] === 'user_message_chunk' || kinds.includes('user_message_chunk'));
  check('with all that was said', said(updates, first) === 'Changed.Something.');
});
