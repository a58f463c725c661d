// Programs that cannot be started: what is wrong is said in their own words, and mending the setting is enough.
const assert = require('node:assert/strict');
const { chmodSync, mkdtempSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const vscode = require('vscode');

let sidecar;
const settings = () => vscode.workspace.getConfiguration('agentSidecar');

/** The next time that it comes to one of these states. */
function comesTo(...states) {
  return new Promise((done) => {
    const listening = sidecar.onState((state) => {
      if (!states.includes(state)) return;
      listening.dispose();
      done(state);
    });
  });
}

async function startWith(path, ...states) {
  const come = comesTo(...states);
  await settings().update('path', path, vscode.ConfigurationTarget.Global);
  return come;
}

suite('a program that cannot be started', () => {
  let own;
  suiteSetup(async () => {
    ({ sidecar } = await vscode.extensions.getExtension('agent-sidecar.agent-sidecar').activate());
    if (sidecar.state !== 'running') await comesTo('running');
    own = settings().get('path');
  });
  suiteTeardown(async () => {
    assert.equal(await startWith(own, 'running'), 'running');
    assert.equal((await sidecar.request('agent/status', {})).pendingApprovals, 0);
  });

  test('that is not there is missing', async () => {
    await startWith('/nowhere/agent-sidecar', 'missing', 'failed');
    assert.deepEqual(sidecar.problem.found, { path: undefined, why: 'setting_missing', tried: ['/nowhere/agent-sidecar'] });
  });

  test('that is named relative to a folder is never run', async () => {
    await startWith('bin/agent-sidecar', 'missing', 'failed');
    assert.equal(sidecar.problem.found.why, 'setting_relative');
  });

  test('that ends at once is not started over and over, and its last line is told', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'agent-sidecar-start-'));
    const starts = join(dir, 'starts');
    writeFileSync(join(dir, 'bad'), `#!/bin/sh\necho start >>${starts}\necho "libfoo is missing" >&2\nexit 3\n`);
    chmodSync(join(dir, 'bad'), 0o755);
    await startWith(join(dir, 'bad'), 'failed', 'running');
    assert.equal(sidecar.problem.message, 'libfoo is missing');
    assert.equal(require('node:fs').readFileSync(starts, 'utf8'), 'start\n');
    await assert.rejects(sidecar.request('agent/status', {}), { name: 'Unavailable' });
  });
});
