// The extension as the host has it: how long it took, what it offers, and what only a machine may set.
const assert = require('node:assert/strict');
const { appendFileSync } = require('node:fs');
const { join } = require('node:path');
const vscode = require('vscode');

const extension = vscode.extensions.getExtension('agent-sidecar.agent-sidecar');

/** The host's own measure, in ms: the row of the extension in "Developer: Startup Performance", which is made anew until it has the numbers. */
async function activation() {
  await until(() => extension?.isActive);
  for (let i = 0; i < 20; i++) {
    await vscode.commands.executeCommand('perfview.show');
    const document = await until(() => vscode.workspace.textDocuments.find((d) => d.uri.scheme === 'perf'));
    const lines = document.getText().split('\n').map((l) => l.split('|').map((s) => s.trim()));
    const head = lines.find((cells) => cells.includes('Load Code'));
    const row = lines.find((cells) => head && cells.some((s) => s.includes(extension.id)));
    const [load, call, finish] = ['Load Code', 'Call Activate', 'Finish Activate'].map((name) => Number(row?.[head.indexOf(name)]));
    if (load + call + finish > 0) return { load, call, finish };
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await until(() => !vscode.workspace.textDocuments.includes(document) || document.isClosed).catch(() => {});
  }
  throw new Error('the host has measured nothing');
}

async function until(probe) {
  for (let i = 0; i < 1000; i++) {
    const value = probe();
    if (value) return value;
    await new Promise((go) => setTimeout(go, 25));
  }
  throw new Error('it does not come');
}

suite('the host', () => {
  test('has activated the extension by itself', async () => {
    assert.ok(extension, 'it is not installed');
    await until(() => extension.isActive);
  });

  test('has measured its activation', async () => { // scenarios/host.mjs says it
    const { load, call, finish } = await activation();
    const all = load + call + finish;
    const held = Math.min(all, globalThis.heldUpAtActivation ?? 0);
    appendFileSync(join(process.env.LOGS, 'activation'), `${Math.round(all - held)} ms: ${all} by the clock, code ${load}, activate ${call}, and what it waits for ${finish}; others had the processor for ${Math.round(held)}\n`);
  });

  test('knows every command that the extension contributes, and those of the sidecar', async () => {
    const known = await vscode.commands.getCommands(true);
    const contributed = extension.packageJSON.contributes.commands.map((c) => c.command);
    assert.ok(contributed.length > 10);
    assert.deepEqual(contributed.filter((c) => !known.includes(c)), []);
    assert.deepEqual(contributed.filter((c) => !c.startsWith('agentSidecar.')), []);
    await until(() => extension.exports.sidecar.capabilities);
    await vscode.commands.getCommands(true).then((all) => assert.ok(all.includes('agent-sidecar.run'), 'the sidecar offers none'));
  });

  test('lets no folder set a path, a command, a key or a permission', () => {
    const all = extension.packageJSON.contributes.configuration.properties;
    const harmless = ['agentSidecar.codeLens', 'agentSidecar.diagnostics', 'agentSidecar.notifyWhenDone'];
    for (const name of Object.keys(all)) {
      if (!harmless.includes(name)) assert.equal(all[name].scope, 'machine', name);
    }
    assert.equal(extension.packageJSON.capabilities.untrustedWorkspaces.supported, 'limited');
    assert.equal(extension.packageJSON.capabilities.virtualWorkspaces.supported, false);
    assert.deepEqual(extension.packageJSON.extensionKind, ['workspace']);
  });

  test('does not take the path from the settings of a folder', async () => {
    const path = vscode.workspace.getConfiguration('agentSidecar').inspect('path');
    assert.equal(path.workspaceValue ?? path.workspaceFolderValue, undefined);
    assert.notEqual(vscode.workspace.getConfiguration('agentSidecar').get('path'), '/bin/false');
  });
});
