// What the picker of models offers, which address a text means, and that a key restarts once.
import { strict as assert } from 'node:assert';
import { labelOf } from '../../src/approvals/labels';
import type { ProviderModels } from '../../src/protocol';
import { KeysGiven } from '../../src/sidecar/environment';
import { addressOf, byUse, entries, isOf, shown, typed, type Words } from '../../src/start/models';

const words: Words = { configured: 'configured', inUse: 'in use', none: 'none', use: (n) => `use ${n}`, window: (n) => `${n / 1000}k`, failed: (l) => `${l.name}: ${l.error!.message}` };
const lists: ProviderModels[] = [
  { name: 'openrouter', baseUrl: 'https://o/v1', models: [{ name: 'openrouter/qwen/qwen3-coder', window: 256000 }, { name: 'openrouter/a' }] },
  { name: 'groq', baseUrl: 'https://g/v1', models: [], error: { kind: 'model_auth', message: 'wrong key' } },
  { name: 'empty', baseUrl: 'https://e/v1', models: [] },
];

suite('the picker of models', () => {
  test('has the configured ones, then those of each provider, once each, with the error of one that has none', () => {
    assert.deepEqual(entries(['openrouter/a', 'own'], lists, 'own', words).map((e) => [e.heading ? '#' : e.always ? '!' : '', e.label, e.description, e.model]), [
      ['#', 'configured', undefined, undefined],
      ['', 'openrouter/a', undefined, 'openrouter/a'],
      ['', 'own', 'in use', 'own'],
      ['#', 'openrouter', undefined, undefined],
      ['', 'openrouter/qwen/qwen3-coder', '256k', 'openrouter/qwen/qwen3-coder'],
      ['#', 'groq', undefined, undefined],
      ['!', 'groq: wrong key', undefined, undefined],
      ['#', 'empty', undefined, undefined],
      ['!', 'none', undefined, undefined],
    ]);
  });
  const offered = entries([], lists, '', words);
  const rows: [string, string, string | undefined, string[]][] = [
    ['nothing typed', '  ', undefined, []],
    ['a name', ' ollama/qwen3:8b ', undefined, ['ollama/qwen3:8b']],
    ['a name that is there', 'openrouter/a', undefined, []],
    ['of a provider, with it', 'groq/x', 'groq', ['groq/x']],
    ['of a provider, without it', 'x', 'groq', ['groq/x']],
    ['of a provider, and it may be of another one', 'qwen/x', 'openrouter', ['openrouter/qwen/x', 'qwen/x']],
    ['of a provider, and there', 'a', 'openrouter', []],
  ];
  for (const [name, text, provider, want] of rows) {
    test(`typed: ${name}`, () => {
      const got = typed(text, offered, provider, words);
      assert.deepEqual(got.map((e) => e.model), want);
      assert.ok(got.every((e) => e.always && e.label === `use ${e.model}`));
    });
  }
  test('Enter after a name takes the name, not an error', () => {
    const server = entries([], [{ name: '', baseUrl: 'http://box', models: [], error: { kind: 'no_list', message: 'no list' } }], '', words);
    assert.deepEqual(shown('qwen', server, undefined, words).filter((e) => !e.heading).map((e) => e.model), ['qwen', undefined]);
    assert.deepEqual(shown('', server, undefined, words), server);
  });
  test('the provider of the model in use is offered first, the others as they are', () => {
    const all = ['openai', 'azure', 'groq'].map((name) => ({ name }));
    assert.deepEqual([byUse(all, 'groq/x'), byUse(all, '')].map((l) => l.map((p) => p.name).join()), ['groq,openai,azure', 'openai,azure,groq']);
  });
  test('a model is of the provider before the slash', () => {
    assert.deepEqual([isOf('groq/x', 'groq'), isOf('groqs/x', 'groq'), isOf('', 'groq'), isOf('openrouter/groq/x', 'groq')], [true, false, false, false]);
  });
});

suite('the address of a server', () => {
  const rows: [string, string][] = [
    ['http://127.0.0.1:11434', 'http://127.0.0.1:11434'],
    [' https://box/v1 ', 'https://box/v1'],
    ['127.0.0.1:11434', 'http://127.0.0.1:11434'],
    ['localhost:1234/v1', 'http://localhost:1234/v1'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['my-box.lan:8080/', 'http://my-box.lan:8080/'],
    ['', 'scheme'], ['ollama', 'scheme'], ['ftp://box:21', 'scheme'], ['file:///etc/passwd', 'scheme'], ['javascript:1', 'http://javascript:1'], ['javascript:alert(1)', 'scheme'],
    ['http://', 'address'], ['http://a b', 'address'], ['127.0.0.1:99999', 'address'], ['http://box:port', 'address'],
  ];
  for (const [text, want] of rows) {
    test(JSON.stringify(text), () => {
      const got = addressOf(text);
      assert.equal('url' in got ? got.url : got.wrong, want);
    });
  }
});

suite('keys', () => {
  test('a change is told once, however many notice it', () => {
    const given = new KeysGiven();
    given.take(new Map([['A_KEY', '1'], ['B_KEY', '2']]));
    assert.equal(given.take(new Map([['B_KEY', '2'], ['A_KEY', '1']])), false);
    const next = new Map([['A_KEY', '3'], ['B_KEY', '2']]);
    assert.deepEqual([given.take(next), given.take(next)], [true, false]);
    assert.equal(given.take(new Map()), true);
  });
});

suite('answers', () => {
  test('have the words of the sidecar where it has some', () => {
    const labels = { always: 'Trust this folder', reject: 'a](command:x) $(x)', once: ' ' };
    assert.equal(labelOf({ labels }, 'always'), 'Trust this folder');
    assert.equal(labelOf({ labels }, 'reject'), 'a (command:x) $ (x)');
    assert.deepEqual([labelOf({ labels }, 'once'), labelOf({ labels }, 'session'), labelOf({ labels }, 'toString'), labelOf({}, 'always')], [undefined, undefined, undefined, undefined]);
  });
});
