// What package.json promises: commands that exist, settings that no folder can set.
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { sources } from './strings';

interface Manifest {
  capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] }; virtualWorkspaces: { supported: boolean } };
  extensionKind: string[];
  contributes: {
    commands: { command: string }[];
    keybindings: { command: string; key: string; mac: string; when?: string }[];
    menus: Record<string, { command: string }[]>;
    configuration: { properties: Record<string, { scope: string; type: string }> };
  };
}
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const { commands, keybindings, menus, configuration } = manifest.contributes;

suite('manifest', () => {
  test('each contributed command is registered, and menus and keys name contributed ones', () => {
    const text = sources().map((s) => s.text).join('\n');
    const names = commands.map((c) => c.command);
    for (const name of names) {
      const short = name.replace('agentSidecar.', '');
      const registered = [`registerCommand('${name}'`, `on('${short}'`, `command('${short}'`].some((way) => text.includes(way)) || text.includes(`${name}', `);
      assert.ok(registered, `${name} is registered nowhere`);
    }
    for (const { command } of [...keybindings, ...Object.values(menus).flat()]) assert.ok(names.includes(command), command);
    assert.equal(new Set(keybindings.map((k) => k.key)).size, keybindings.length, 'a key twice');
  });

  test('no key is taken from the terminal, on any platform', () => {
    for (const { command, key, mac, when } of keybindings) {
      assert.ok(mac, `${command}: ${key} would count on macOS, too`);
      // What follows an "or" would count by itself.
      assert.match(when ?? '', /(^|&& )!terminalFocus($| &&)/, command);
      assert.doesNotMatch(when ?? '', /\|\|/, command);
    }
  });

  test('the ids of the server are never taken: the language client registers those', () => {
    for (const { command } of commands) assert.match(command, /^agentSidecar\./);
    for (const { file, text } of sources()) assert.doesNotMatch(text, /registerCommand\(['`]agent-sidecar\./, file);
  });

  test('no folder can say what runs, with what, and where', () => {
    const open = ['agentSidecar.codeLens', 'agentSidecar.diagnostics', 'agentSidecar.notifyWhenDone'];
    for (const [key, { scope }] of Object.entries(configuration.properties)) assert.equal(scope, open.includes(key) ? 'window' : 'machine', key);
    const machine = Object.keys(configuration.properties).filter((key) => !open.includes(key));
    assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, machine.sort());
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
    assert.equal(manifest.capabilities.virtualWorkspaces.supported, false);
    assert.deepEqual(manifest.extensionKind, ['workspace']);
  });

  test('each setting that is read is contributed, and no setting holds a key', () => {
    const text = sources().map((s) => s.text).join('\n');
    for (const [, key] of text.matchAll(/(?:settings\.get(?:<[^>]*>)?|getConfiguration\('agentSidecar'\)\.get(?:<[^>]*>)?|\btext)\('([A-Za-z.]+)'\)/g)) {
      assert.ok(`agentSidecar.${key}` in configuration.properties, key);
    }
    for (const key of Object.keys(configuration.properties)) assert.doesNotMatch(key, /key|token|secret/i);
  });
});
