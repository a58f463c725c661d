import { strict as assert } from 'node:assert';
import { fromPage, idOf, pageState } from '../../src/chat/read';
import { relayed } from '../../src/chat/messages';
import { relay } from '../../src/chat/relay';
import { failure, type Failure } from '../../src/sidecar/failure';
import { Unavailable } from '../../src/sidecar/api';
import { html } from '../../src/chat/html';

suite('what the page may say', () => {
  test('every request of the list is relayed, and no other', () => {
    for (const method of relayed) assert.ok(fromPage({ type: 'request', id: 1, method, params: {} }), method);
    for (const method of ['agent/session/delete', 'agent/session/export', 'agent/rules', 'agent/config', 'agent/session/undo', 'initialize', 'workspace/executeCommand', 'toString', '__proto__', '']) {
      assert.equal(fromPage({ type: 'request', id: 1, method, params: {} }), undefined, method);
    }
  });

  test('what is not exactly a message is nothing', () => {
    for (const bad of [
      null, 1, 'ready', [], {}, { type: 'ready' }, { type: 'request', id: '1', method: 'agent/run' }, { type: 'request', id: 1.5, method: 'agent/run' },
      { type: 'do', id: 1 }, { type: 'do', id: 1, action: { do: 'exec', command: 'x' } }, { type: 'do', id: 1, action: { do: 'constructor' } },
      { type: 'do', id: 1, action: { do: 'open' } }, { type: 'do', id: 1, action: { do: 'open', path: 'a', line: 0 } }, { type: 'do', id: 1, action: { do: 'open', path: 'a', line: '1' } },
      ...['root', 'agent', 'toString', ['ask'], null].map((mode) => ({ type: 'do', id: 1, action: { do: 'setMode', sessionId: '1', mode } })),
      { type: 'do', id: 1, action: { do: 'setAgent', sessionId: '1', agent: '' } }, { type: 'do', id: 1, action: { do: 'setAgent', agent: 'mine' } },
      { type: 'do', id: 1, action: { do: 'undo', sessionId: '1', to: {} } }, { type: 'do', id: 1, action: { do: 'undo', sessionId: '1', to: { callId: 'c', runId: 'r' } } },
      { type: 'do', id: 1, action: { do: 'undo', sessionId: '1', to: { runId: 'r' }, paths: [1] } },
      { type: 'state', state: { sessionId: 1 } },
    ]) assert.equal(fromPage(bad), undefined, JSON.stringify(bad));
  });

  test('what is held back reaches nobody, and is told in the words for it', async () => {
    const asked: unknown[] = [];
    const sidecar = { request: async (...of: unknown[]) => { asked.push(of); return {}; } } as never;
    const held = (method: string, params: unknown) => (method === 'agent/approve' && (params as { decision: string }).decision !== 'reject' ? 'changed in its review' : undefined);
    const approve = (decision: string) => relay(sidecar, { type: 'request', id: 1, method: 'agent/approve', params: { approvalId: 'a', digest: 'd', decision } }, { held });
    for (const yes of ['once', 'session', 'always']) assert.deepEqual((await approve(yes)).error, { message: 'changed in its review', kind: 'held' });
    assert.equal(asked.length, 0);
    assert.equal((await approve('reject')).error, undefined);
    assert.equal(asked.length, 1);
  });

  test('commands can be asked about again, and nothing else of that is said', () => {
    assert.deepEqual(fromPage({ type: 'do', id: 1, action: { do: 'askAgain' } }), { type: 'do', id: 1, action: { do: 'askAgain' } });
    assert.equal(fromPage({ type: 'do', id: 1, action: { do: 'askNever' } }), undefined);
  });

  test('a refused message still gets its answer', () => {
    assert.equal(idOf({ type: 'request', id: 7, method: 'agent/rules' }), 7);
    assert.equal(idOf({ type: 'do', id: 8, action: {} }), 8);
    assert.equal(idOf({ type: 'state', id: 8 }), undefined);
    assert.equal(idOf({ type: 'do', id: NaN }), undefined);
  });

  test('the kept state is as small as it has to be', () => {
    assert.deepEqual(pageState({ sessionId: '0001', draft: 'x', more: 1 }), { sessionId: '0001', draft: 'x' });
    assert.deepEqual(pageState({ sessionId: null, draft: '' }), { sessionId: null });
    assert.equal(pageState({ sessionId: null, draft: 'x'.repeat(1e6) })!.draft!.length, 64 * 1024);
    assert.equal(pageState(undefined), undefined);
  });
});

suite('the relay', () => {
  const asked: unknown[] = [];
  const sidecar = (answer: () => unknown) => ({ request: (async (method: string, params: unknown) => { asked.push([method, params]); return answer(); }) as never });

  setup(() => { asked.length = 0; });

  test('an answer is carried back as it is', async () => {
    const result = { sessionId: '0001', runId: 'r' };
    assert.deepEqual(await relay(sidecar(() => result), { type: 'request', id: 3, method: 'agent/run', params: { prompt: 'x' } }), { type: 'answer', id: 3, result });
    assert.deepEqual(asked, [['agent/run', { prompt: 'x' }]]);
  });

  test('an error keeps its kind and data', async () => {
    const locked = Object.assign(new Error('locked'), { code: -32803, data: { kind: 'session_locked', pid: 7 } });
    const told: Failure[] = [];
    const answer = await relay(sidecar(() => { throw locked; }), { type: 'request', id: 4, method: 'agent/session/resume', params: { sessionId: 's' } }, { failed: (_m, _p, e) => { told.push(e); } });
    assert.deepEqual(answer, { type: 'answer', id: 4, error: { message: 'locked', kind: 'session_locked', data: { kind: 'session_locked', pid: 7 } } });
    assert.equal(told[0]!.kind, 'session_locked');
  });

  test('the page cannot confirm full access', async () => {
    const answer = await relay(sidecar(() => ({})), { type: 'request', id: 5, method: 'agent/session/update', params: { sessionId: 's', mode: 'full_access', confirm: true } });
    assert.equal(answer.error?.kind, 'refused');
    assert.deepEqual(asked, []);
  });

  test('nor in letters that the sidecar takes for the same', async () => {
    for (const params of [
      { sessionId: 's', mode: 'full_access', Confirm: true }, { sessionId: 's', Mode: 'full_access', CONFIRM: true }, { sessionId: 's', mode: 'full_access' },
      { sessionId: 's', mode: 'ask' }, { sessionId: 's', agent: 'build' }, { sessionId: 's', systemPrompt: 'x' }, [{ confirm: true }], 'x', null, JSON.parse('{"sessionId":"s","__proto__":{"confirm":true}}'),
    ]) {
      const answer = await relay(sidecar(() => ({})), { type: 'request', id: 5, method: 'agent/session/update', params });
      assert.equal(answer.error?.kind, 'refused', JSON.stringify(params));
    }
    assert.deepEqual(asked, []);
  });

  test('a session begins in a mode that needs no confirmation, or in none', async () => {
    for (const params of [{ mode: 'full_access' }, { mode: 'ask', confirm: true }, { Mode: 'ask' }]) {
      assert.equal((await relay(sidecar(() => ({})), { type: 'request', id: 5, method: 'agent/session/new', params })).error?.kind, 'refused', JSON.stringify(params));
    }
    assert.deepEqual(asked, []);
    assert.equal((await relay(sidecar(() => ({})), { type: 'request', id: 5, method: 'agent/session/new', params: { mode: 'ask', agent: 'build' } })).error, undefined);
  });

  test('an answer to a question names what was shown, and carries nothing else', async () => {
    const given = { approvalId: 'a', decision: 'once' };
    for (const params of [given, { ...given, digest: '' }, { ...given, digest: 1 }, { ...given, digest: 'd', editedInput: { command: 'rm' } }, { ...given, digest: 'd', EditedInput: {} }, { ...given, digest: 'd', Digest: '' }]) {
      assert.equal((await relay(sidecar(() => ({})), { type: 'request', id: 6, method: 'agent/approve', params })).error?.kind, 'refused', JSON.stringify(params));
    }
    assert.deepEqual(asked, []);
    for (const editedInput of [{ command: 'rm -rf .' }, { plan: 1 }, { plan: 'x', command: 'x' }, 'plan', null]) {
      assert.equal((await relay(sidecar(() => ({})), { type: 'request', id: 6, method: 'agent/approve', params: { ...given, digest: 'd', editedInput } })).error?.kind, 'refused', JSON.stringify(editedInput));
    }
    assert.equal((await relay(sidecar(() => ({ status: 'applied' })), { type: 'request', id: 6, method: 'agent/approve', params: { ...given, digest: 'd', mode: 'ask', editedInput: { plan: '1.' } } })).error, undefined);
    assert.equal((await relay(sidecar(() => ({ status: 'applied' })), { type: 'request', id: 6, method: 'agent/approve', params: { ...given, digest: 'd' } })).error, undefined);
  });

  test('the page asks about one model, and makes nobody else be asked', async () => {
    const models = { type: 'request', id: 5, method: 'agent/models' } as const;
    assert.equal((await relay(sidecar(() => ({ providers: [] })), { ...models, params: { model: '' } })).error, undefined);
    for (const more of [{ baseUrl: 'http://box' }, { provider: 'openai' }]) {
      assert.equal((await relay(sidecar(() => ({})), { ...models, params: more })).error?.kind, 'refused', JSON.stringify(more));
    }
    assert.equal(asked.length, 1);
  });

  test('a run carries what a person wrote, and no instructions or limits beside it', async () => {
    for (const more of [{ system: 'x' }, { limits: { maxTurns: 0 } }, { mode: 'full_access' }, { sessionKey: 'k' }, { await: true }]) {
      assert.equal((await relay(sidecar(() => ({})), { type: 'request', id: 7, method: 'agent/run', params: { sessionId: 's', prompt: 'x', ...more } })).error?.kind, 'refused', JSON.stringify(more));
    }
    assert.deepEqual(asked, []);
  });

  test('whatever was thrown becomes a message', () => {
    assert.deepEqual(failure(new Unavailable('restarting')), { message: 'restarting', kind: 'unavailable' });
    assert.deepEqual(failure(undefined), { message: 'undefined' });
    assert.deepEqual(failure('x'), { message: 'x' });
    assert.deepEqual(failure({ message: '' }), { message: '[object Object]' });
  });
});

suite('the document of the chat', () => {
  test('nothing runs but the one script, and nothing is loaded from outside', () => {
    const page = html({ nonce: 'N', cspSource: 'https://x.test', script: 'https://x.test/chat.js?a="b"&c', styles: ['https://x.test/chat.css'], lang: 'zh-cn', title: '<t>' });
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)![1]!;
    assert.match(policy, /^default-src 'none'; script-src 'nonce-N'; /);
    assert.doesNotMatch(policy, /unsafe|\*|connect-src|frame-src/);
    assert.equal(page.match(/<script/g)!.length, 1);
    assert.ok(page.includes('src="https://x.test/chat.js?a=&#34;b&#34;&#38;c"'));
    assert.ok(page.includes('<title>&#60;t&#62;</title>'));
  });
});
