// Which program is started, and with what environment.
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { findBinary, type Search } from '../../src/sidecar/binary';
import { Crashes } from '../../src/sidecar/crashes';
import { environmentOf, isKey, isKeyName, isSecretName } from '../../src/sidecar/environment';
import { providers } from '../../src/start/providers';

function search(files: string[], more: Partial<Search> = {}): Search {
  return { setting: '', extensionPath: '/ext', home: '/home/me', pathVariable: '/usr/bin:/opt/bin', platform: 'linux', isExecutable: (f) => files.includes(f), ...more };
}

suite('binary', () => {
  const all = ['/own/agent-sidecar', '/ext/bin/agent-sidecar', '/usr/bin/agent-sidecar'];
  const rows: [string, Search, string | undefined][] = [
    ['the setting first', search(all, { setting: '/own/agent-sidecar' }), '/own/agent-sidecar'],
    ['then the one in the extension', search(all), '/ext/bin/agent-sidecar'],
    ['then the PATH', search(['/usr/bin/agent-sidecar']), '/usr/bin/agent-sidecar'],
    ['in its order', search(['/opt/bin/agent-sidecar', '/usr/bin/agent-sidecar']), '/usr/bin/agent-sidecar'],
    ['~ is the home', search(['/home/me/bin/a'], { setting: '~/bin/a' }), '/home/me/bin/a'],
    ['~else is no home', search(['/home/melse/a'], { setting: '~else/a' }), undefined],
    ['a setting that names nothing runs nothing else', search(all, { setting: '/gone' }), undefined],
    ['a relative setting is none: the folder could bring it', search(['bin/a', './bin/a'], { setting: './bin/a' }), undefined],
    ['nor a relative PATH', search(['bin/agent-sidecar', './agent-sidecar', 'agent-sidecar'], { pathVariable: 'bin:.::' }), undefined],
    ['blanks are no setting', search(all, { setting: '  ' }), '/ext/bin/agent-sidecar'],
    ['Windows has .exe and ;', search(['C:\\tools\\agent-sidecar.exe'], { platform: 'win32', extensionPath: 'C:\\ext', pathVariable: 'C:\\Windows;C:\\tools' }), 'C:\\tools\\agent-sidecar.exe'],
    ['Windows: bundled', search(['C:\\ext\\bin\\agent-sidecar.exe'], { platform: 'win32', extensionPath: 'C:\\ext', pathVariable: '' }), 'C:\\ext\\bin\\agent-sidecar.exe'],
  ];
  for (const [name, given, want] of rows) test(name, () => assert.equal(findBinary(given).path, want));

  test('what is missing is told apart', () => {
    const why = (s: Search) => (findBinary(s) as { why?: string }).why;
    assert.equal(why(search([], { setting: 'bin/a' })), 'setting_relative');
    assert.equal(why(search([], { setting: '/a' })), 'setting_missing');
    assert.equal(why(search([])), 'nowhere');
  });
});

suite('environment', () => {
  test('the editor’s own switches are left out, settings add, keys win', () => {
    const { env, refused } = environmentOf(
      { PATH: '/bin', VSCODE_IPC_HOOK: 'x', ELECTRON_RUN_AS_NODE: '1', OPENAI_API_KEY: 'of the shell' },
      { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', ANTHROPIC_API_KEY: 'in settings', 'NO=NAME': 'x', NUMBER: 3 },
      new Map([['OPENAI_API_KEY', 'kept']]));
    assert.deepEqual(env, { PATH: '/bin', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_API_KEY: 'kept' });
    assert.deepEqual(refused, ['ANTHROPIC_API_KEY', 'NO=NAME', 'NUMBER']);
  });

  test('settings that are no object are nothing', () => {
    for (const settings of [undefined, null, 'x', ['A=b'], 3]) assert.deepEqual(environmentOf({}, settings, new Map()), { env: {}, refused: [] });
  });

  test('every variable of a provider counts as a secret, an address does not', () => {
    for (const name of providers.flatMap((p) => p.variables)) assert.ok(isSecretName(name), name);
    for (const name of ['WORK_KEY_2', 'MY_PASSWORD', 'github_token', 'API_KEY']) assert.ok(isSecretName(name), name);
    for (const name of [...providers.flatMap((p) => p.variables), 'WORK_KEY_2', 'WORKKEY']) assert.ok(isKeyName(name), name);
    // The sidecar leaves these to the commands of the agent, so a key may not be one of them.
    for (const name of ['MYLLM', 'OPENAI', 'PATH', 'LD_PRELOAD', 'A KEY', 'KEY=1', '']) assert.ok(!isKeyName(name), name);
    for (const name of ['OPENAI_BASE_URL', 'OPENAI_MODEL', 'HTTPS_PROXY', 'KEYBOARD', 'MONKEY']) assert.ok(!isSecretName(name), name);
  });

  test('a key is what a header can carry', () => {
    for (const key of ['sk-Ab_1.2~', '']) assert.ok(isKey(key), key);
    for (const key of ['a b', 'a\nb', 'a\u007f', 'a\u200bb', '\u201ca\u201d', 'é']) assert.ok(!isKey(key), JSON.stringify(key));
  });

  test('the providers are those of docs/models.md', () => {
    const table = readFileSync('../../docs/models.md', 'utf8').split('<!-- begin presets -->')[1].split('<!-- end presets -->')[0];
    const rows = [...table.matchAll(/^\| `([a-z]+)` \| (.*?) \| (.*?) \|/gm)].map(([, name, address, key]) => ({
      name, variables: [...key.matchAll(/`([A-Z_]+)`/g)].map((m) => m[1]), ...(key.includes('none needed') ? { local: address } : {}),
    }));
    assert.ok(rows.length > 10);
    assert.deepEqual(providers.map(({ name, variables, local }) => ({ name, variables, ...(local ? { local } : {}) })), rows);
  });
});

suite('crashes', () => {
  test('the fifth within three minutes is the last', () => {
    let now = 0;
    const crashes = new Crashes(5, 180_000, () => now);
    for (let i = 0; i < 4; i++) assert.ok(crashes.again());
    assert.ok(!crashes.again());
    now = 180_000;
    assert.ok(crashes.again());
    crashes.forget();
  });

  test('slow ones go on for ever', () => {
    let now = 0;
    const crashes = new Crashes(5, 180_000, () => now);
    for (let i = 0; i < 50; i++, now += 50_000) assert.ok(crashes.again(), String(i));
  });
});
