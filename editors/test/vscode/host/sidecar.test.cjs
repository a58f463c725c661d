// The way to the sidecar: typed requests, its errors as it gave them, events, and a restart that is asked for.
const assert = require('node:assert/strict');
const vscode = require('vscode');

let sidecar;

const running = () => (sidecar.state === 'running' ? Promise.resolve() : new Promise((done) => {
  const listening = sidecar.onState((state) => { if (state === 'running') { listening.dispose(); done(); } });
}));

suite('the sidecar', () => {
  suiteSetup(async () => { ({ sidecar } = await vscode.extensions.getExtension('agent-sidecar.agent-sidecar').activate()); });
  setup(running);

  test('says what it can', () => {
    assert.equal(sidecar.capabilities.version, 1);
    assert.ok(sidecar.capabilities.methods.includes('agent/run'));
  });

  test('answers a request', async () => {
    const status = await sidecar.request('agent/status', {});
    assert.equal(status.pendingApprovals, 0);
  });

  test('refuses in its own words', async () => {
    await assert.rejects(sidecar.request('agent/session/resume', { sessionId: '9999' }), (e) => {
      assert.equal(e.data?.kind ?? e.kind, 'session_not_found', JSON.stringify(e));
      return true;
    });
  });

  test('sends the events of a run in order, up to its end', async () => {
    const { session } = await sidecar.request('agent/session/new', {});
    const seen = [];
    const listening = sidecar.onEvent((e) => { if (e.sessionId === session.id) seen.push(e); });
    const end = new Promise((done) => { const l = sidecar.onEvent((e) => { if (e.type === 'run.ended') { l.dispose(); done(e); } }); });
    const ack = await sidecar.request('agent/run', { sessionId: session.id, prompt: 'hello' });
    assert.equal(ack.disposition, 'started');
    const ended = await end;
    listening.dispose();
    assert.equal(ended.data.stopReason, 'end_turn', JSON.stringify(ended.data));
    const seqs = seen.filter((e) => e.seq !== undefined).map((e) => e.seq);
    assert.ok(seqs.length >= 3, JSON.stringify(seqs));
    assert.deepEqual(seqs, [...seqs].sort((a, b) => a - b));
    assert.ok(seen.some((e) => e.type === 'message.delta'), 'nothing was streamed');
  });

  test('starts again when it is told to, and keeps its sessions', async () => {
    const before = (await sidecar.request('agent/session/list', {})).sessions.length;
    await sidecar.restart();
    await running();
    assert.equal((await sidecar.request('agent/session/list', {})).sessions.length, before);
  });
});
