// What is open in the editor: loaded anew when the sidecar has changed the file, also where the watcher of the editor looks away,
// and never over what somebody has typed. And what the editor finds wrong goes to the sidecar, but not the sidecar's own marks.
const assert = require('node:assert/strict');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const vscode = require('vscode');

let sidecar;

/** The document comes to have this text. */
async function comesToSay(document, text) {
  for (let i = 0; i < 1000 && document.getText() !== text; i++) await new Promise((go) => setTimeout(go, 25));
  assert.equal(document.getText(), text);
}

suite('documents', () => {
  const excluded = () => vscode.workspace.getConfiguration('files', null);
  let folder, file, document;
  suiteSetup(async () => {
    ({ sidecar } = await vscode.extensions.getExtension('agent-sidecar.agent-sidecar').activate());
    folder = vscode.workspace.workspaceFolders[0].uri.fsPath;
    await excluded().update('watcherExclude', { '**': true }, vscode.ConfigurationTarget.Global);
    file = join(folder, 'reloaded.txt');
    writeFileSync(file, 'before\n');
    document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document);
  });
  suiteTeardown(async () => {
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await excluded().update('watcherExclude', undefined, vscode.ConfigurationTarget.Global);
  });

  test('that were changed on the disk are loaded anew, also where nothing is watched', async () => {
    writeFileSync(file, 'after\n');
    sidecar.onReload.fire(document.uri.toString());
    await comesToSay(document, 'after\n');
    assert.equal(document.isDirty, false);
  });

  test('with unsaved text stay as they are', async () => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'mine ');
    await vscode.workspace.applyEdit(edit);
    writeFileSync(file, 'of the sidecar\n');
    sidecar.onReload.fire(document.uri.toString());
    await new Promise((go) => setTimeout(go, 1500)); // longer than it waits for the editor
    assert.equal(document.getText(), 'mine after\n');
    assert.equal(document.isDirty, true);
  });

  test('tell what is wrong in them, without what the sidecar has put there', async () => {
    const sent = [], nothing = [];
    const notify = sidecar.notify;
    sidecar.notify = (method, params) => {
      if (method === 'agent/diagnostics' && params.uri === document.uri.toString()) sent.push({ method, params });
      // The editor checks its own settings when it likes, and nobody asked about them.
      else if (method === 'agent/diagnostics' && params.diagnostics.length === 0 && !vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(params.uri))) nothing.push(params.uri);
      notify.call(sidecar, method, params);
    };
    const marks = vscode.languages.createDiagnosticCollection('test');
    try {
      const mark = (message, source) => Object.assign(new vscode.Diagnostic(new vscode.Range(0, 1, 0, 3), message), { source });
      marks.set(document.uri, [mark('wrong', 'checker'), mark('a question', 'agent')]);
      for (let i = 0; i < 1000 && sent.length === 0; i++) await new Promise((go) => setTimeout(go, 25));
      assert.deepEqual(sent, [{ method: 'agent/diagnostics', params: {
        uri: document.uri.toString(), version: document.version,
        diagnostics: [{ range: { start: { line: 0, character: 1 }, end: { line: 0, character: 3 } }, severity: 1, message: 'wrong', source: 'checker' }],
      } }]);
      assert.deepEqual(nothing, []);
    } finally {
      sidecar.notify = notify;
      marks.dispose();
    }
  });
});
