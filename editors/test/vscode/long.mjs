// Sessions of very many calls, made by the real sidecar before an editor opens the folder: a run whose model asks for them in large handfuls.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { model, Sidecar } from './page/sidecar.mjs';

const handful = 100; // calls of one answer
const files = 20;

/** Records them in the home of the scenario, one for each title, which is its prompt. */
export async function record({ dir, workspace, home, sidecar, scripted, calls, titles }) {
  mkdirSync(workspace, { recursive: true });
  for (let i = 0; i < files; i++) writeFileSync(join(workspace, `part${i}.txt`), 'a line of the file\n'.repeat(100));
  const turns = [];
  for (let call = 0; call < calls;) {
    const verbs = [`say Step ${turns.length + 1}: I look at \`part1.txt:6\`, and *then* further.`];
    for (let i = 0; i < handful && call < calls; i++, call++) verbs.push(`call call${call} read ${JSON.stringify({ path: `part${call % files}.txt`, offset: 1 + Math.floor(call / files) % 100, limit: 30 })}`);
    turns.push(verbs.join('\n'));
  }
  turns.push('say That was all of it.');
  const script = join(dir, 'long.model');
  writeFileSync(script, `models scripted=4000000\n${titles.map(() => turns.join('\n---\n')).join('\n---\n')}\n`);
  const { url, end } = await model(scripted, script);
  const s = new Sidecar(sidecar, { home, workspace, modelUrl: url });
  await s.start();
  for (const prompt of titles) {
    const ended = new Promise((done) => { s.event = (e) => { if (e.type === 'run.ended') done(e.data.stopReason); }; });
    const { session } = await s.request('agent/session/new', {});
    await s.request('agent/run', { sessionId: session.id, prompt, limits: { maxToolCalls: calls + 1, maxTurns: turns.length + 1 } });
    const why = await ended;
    if (why !== 'end_turn') throw new Error(`the run of ${calls} calls ended with ${why}`);
  }
  await s.end();
  await end();
}
