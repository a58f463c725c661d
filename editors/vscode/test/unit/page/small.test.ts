// Small decisions of the page, as tables.
import * as assert from 'node:assert/strict';
import { statusOf } from '../../../src/page/bars';
import { mentionAt } from '../../../src/page/mention';
import { commandAt, commandIn, commandsOf, typedIn } from '../../../src/page/slash';
import { newModel, type RunState, untouched } from '../../../src/page/conversation/model';
import { apply } from '../../../src/page/conversation/fold';
import type { AgentEvent } from '../../../src/protocol';
import { dataUrl, kindOf } from '../../../src/page/pictures';
import { diffOf } from '../../../src/page/rows/call';
import { offers } from '../../../src/page/rows/end';
import { untagged } from '../../../src/page/rows/prompt';
import { textOf } from '../../../src/page/rows/mark';
import { looksLikeDiff } from '../../../src/page/rows/diff';
import type { CallRow, EndRow } from '../../../src/page/conversation/model';

suite('a mention', () => {
  const rows: [string, string | undefined][] = [
    ['@', ''], ['look at @src/ma', 'src/ma'], ['(@a', 'a'], ['mail a@b', undefined], ['@a b', undefined], ['@@', undefined], ['', undefined], ['line\n@x', 'x'],
  ];
  for (const [text, want] of rows) test(JSON.stringify(text), () => assert.equal(mentionAt(text, text.length)?.query, want));
  test('is the one at the cursor', () => assert.deepEqual(mentionAt('@ab and @cd', 3), { at: 0, query: 'ab' }));
});

suite('what was added for the model', () => {
  const rows: [string, string][] = [
    ['<system-reminder>\nA file has changed.\n</system-reminder>', 'A file has changed.'],
    ['<system-reminder>\none\n</system-reminder>\n\n<system-reminder>\ntwo\nlines\n</system-reminder>', 'one\n\ntwo\nlines'],
    ['no tags', 'no tags'], ['<b>its own</b>', '<b>its own</b>'], ['<system-reminder>\nnever closed', '<system-reminder>\nnever closed'],
  ];
  for (const [text, want] of rows) test(JSON.stringify(text), () => assert.equal(untagged(text), want));
});

suite('an empty conversation', () => {
  const event = (seq: number, type: string, data: unknown) => ({ sessionId: 's', time: '', seq, type, data }) as unknown as AgentEvent;
  const opened = event(1, 'session.opened', { version: 1, mode: 'agent' });
  const full = event(2, 'session.changed', { mode: 'full_access' });
  const rows: [string, AgentEvent[], boolean][] = [
    ['nothing', [], true], ['a mode was chosen', [opened, full], true], ['and taken back', [opened, full, event(3, 'session.changed', { mode: 'agent' })], true],
    ['something was asked', [opened, full, event(3, 'run.started', { prompt: [{ type: 'text', text: 'Hi.' }], kind: 'prompt' })], false],
  ];
  for (const [name, events, want] of rows) test(name, () => {
    const m = newModel('s');
    for (const e of events) apply(m, e);
    assert.equal(untouched(m), want);
  });
});

suite('a change of the mode', () => {
  const rows: [object, string, unknown[]][] = [
    [{ mode: 'full_access', agent: 'build' }, 'mode', ['full_access']], [{ mode: 'ask', agent: 'build' }, 'asking', ['ask']], [{ mode: 'agent', agent: 'build' }, 'asking', ['edit']],
    [{ mode: 'agent', agent: 'plan' }, 'asking', ['plan']], [{ mode: 'ask', agent: 'mine' }, 'asking', ['mine']], [{ mode: 'ask' }, 'asking', ['ask']],
  ];
  for (const [data, name, values] of rows) test(JSON.stringify(data), () => {
    const m = newModel('s');
    apply(m, { sessionId: 's', time: '', seq: 1, type: 'session.changed', data } as unknown as AgentEvent);
    assert.deepEqual(m.root.rows.map((r) => r.kind === 'mark' && [r.mark, r.values]), [[name, values]]);
  });
});

suite('what a session sets itself', () => {
  const changed = (data: unknown) => ({ sessionId: 's', time: '', seq: 1, type: 'session.changed', data }) as unknown as AgentEvent;
  test('is what was said last, and gone where it was cleared', () => {
    const m = newModel('s');
    m.session.params = { reasoningEffort: 'low' };
    const after = (data: unknown) => { apply(m, changed(data)); return m.session.params?.reasoningEffort; };
    assert.deepEqual([after({ title: 'T' }), after({ params: { reasoningEffort: 'high' } }), after({ params: {} })], ['low', 'high', undefined]);
  });
});

suite('pictures', () => {
  test('are what their bytes say', () => {
    assert.equal(kindOf(Uint8Array.of(0x89, 0x50, 0x4e, 0x47)), 'image/png');
    assert.equal(kindOf(Uint8Array.of(0xff, 0xd8, 0xff, 0)), 'image/jpeg');
    assert.equal(kindOf(new TextEncoder().encode('RIFF....WEBP')), 'image/webp');
    assert.equal(kindOf(new TextEncoder().encode('<svg xmlns="…">')), undefined);
    assert.equal(kindOf(Uint8Array.of()), undefined);
  });
  test('are shown from data alone', () => {
    assert.equal(dataUrl('AAAA', 'image/png'), 'data:image/png;base64,AAAA');
    for (const [data, type] of [['AAAA', 'image/svg+xml'], ['AAAA', 'text/html'], ['https://evil.example/x', 'image/png'], ['A"B', 'image/png'], ['AAAA', undefined]] as const) assert.equal(dataUrl(data, type), undefined);
  });
});

suite('the status line', () => {
  const rows: [Partial<RunState> | undefined, boolean, number, string, string, string?][] = [
    [undefined, false, 0, 'none', ''],
    [undefined, true, 0, 'busy', 'working…'],
    [{ state: 'thinking' }, true, 0, 'busy', 'thinking…'],
    [{ state: 'tool_calling', detail: 'read, bash' }, true, 0, 'busy', 'running: read, bash'],
    [{ state: 'tool_calling', detail: 'bash' }, true, 1, 'waiting', 'waiting for you'],
    [{ state: 'retrying', attempt: 2, inMs: 2400 }, true, 0, 'busy', 'retrying in 3 s (attempt 2)'],
    [{ state: 'retrying', attempt: 2, inMs: 2400, detail: 'Rate limit\nreached' }, true, 0, 'busy', 'retrying in 3 s (attempt 2)', 'Rate limit reached'],
    [{ state: 'compacting' }, true, 0, 'busy', 'summarising the conversation…'],
    [{ state: 'dreaming' }, true, 0, 'busy', 'dreaming'],
    [{ state: 'error', detail: 'no\u202eway' }, false, 0, 'error', 'failed: no<U+202E>way'],
    [{ state: 'finished' }, false, 0, 'none', ''],
    [{ state: 'finished' }, false, 1, 'none', ''],
  ];
  for (const [run, active, questions, kind, text, why] of rows) {
    test(`${run?.state ?? 'nothing known'}${active ? ', a run works' : ''}${questions ? ', a question' : ''}`, () => {
      const m = newModel('s');
      m.root.run = run as RunState;
      if (active) m.active = 'r';
      assert.deepEqual(statusOf(m, questions, false), { kind, text, ...(why && { why }) });
    });
  }
});

suite('a diff', () => {
  const change = [{ uri: '', path: 'a', kind: 'modified', additions: 1, deletions: 1, callId: 'c' }];
  const row = (text: string, more: Partial<CallRow> = {}) => ({ text, changes: change, state: 'completed', ...more }) as unknown as CallRow;
  const text = 'edited a (+1 −1)\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y';
  test('is found in a result', () => assert.equal(diffOf(row(text)), text.slice(text.indexOf('---'))));
  test('is not taken from what was only read', () => assert.equal(diffOf(row(text, { changes: [] })), undefined));
  test('of a question stands as long as nothing else is known', () => {
    assert.equal(diffOf(row('', { changes: [], state: 'waiting', diff: 'd' })), 'd');
    assert.equal(diffOf(row('The user rejected this operation.', { changes: [], state: 'rejected', diff: 'd' })), undefined);
  });
  test('needs its heads', () => assert.ok(!looksLikeDiff('--- a\nno\n@@')));
});

suite('what happened beside the conversation', () => {
  test('is said in words, and a reason that has none as it is', () => {
    assert.equal(textOf({ mark: 'not_compacted', values: ['nothing_to_compact'] }), 'The conversation could not be summarised: there is nothing to summarise yet');
    assert.equal(textOf({ mark: 'not_compacted', values: ['the summary\u202e is empty'] }), 'The conversation could not be summarised: the summary<U+202E> is empty');
    assert.equal(textOf({ mark: 'switched', values: ['a', 'b', 'model_rate_limited'] }), 'Model a → b (too many requests)');
    assert.equal(textOf({ mark: 'asking', values: ['plan'] }), 'Plan from here on');
    assert.equal(textOf({ mark: 'asking', values: ['min\u202ee'] }), 'min<U+202E>e from here on');
    assert.equal(textOf({ mark: 'pruned', values: [1, 1200] }), `The model no longer sees 1 result (${(1200).toLocaleString()} tokens)`);
  });
});

suite('a run that failed', () => {
  const ended = (stopReason: string, kind?: string): EndRow => ({ kind: 'end', key: 'e', v: 0, stopReason, changes: [], ...(kind && { error: { kind, message: 'no' } }) });
  const rows: [string, string | undefined, string[]][] = [
    ['end_turn', undefined, []],
    ['error', 'model_auth', ['setKey', 'retry', 'chooseModel']],
    ['error', 'model_not_found', ['chooseModel', 'retry']],
    ['error', 'model_not_set', ['setKey', 'localServer', 'chooseModel', 'retry']],
    ['error', 'model_rate_limited', ['retry']],
    ['error', 'toString', ['retry']],
    ['error', undefined, ['retry']],
    ['cancelled', undefined, ['retry']],
    ['refusal', undefined, ['chooseModel']],
  ];
  for (const [stopReason, kind, ways] of rows) {
    test(`${stopReason} ${kind ?? ''} has a way on`, () => {
      const model = newModel('1');
      const row = ended(stopReason, kind);
      model.root.rows.push(row);
      const chat = { model, readOnly: false, busy: false, retries: true };
      assert.deepEqual(offers(row, chat), ways);
      assert.deepEqual(offers(row, { ...chat, retries: false }), ways.filter((w) => w !== 'retry'));
      assert.deepEqual(offers(row, { ...chat, busy: true }), []);
      assert.deepEqual(offers(row, { ...chat, readOnly: true }), []);
      model.root.rows.push(ended('end_turn'));
      assert.deepEqual(offers(row, chat), [], 'not of a run before the last one');
    });
  }
  test('is said once: in its row', () => {
    const model = newModel('1');
    model.root.run = { state: 'error', detail: 'no' };
    model.root.rows.push(ended('error', 'model_auth'));
    assert.equal(statusOf(model, 0, false).kind, 'none');
  });
});

suite('a command in a prompt', () => {
  const rows: [string, string | undefined][] = [['/', ''], ['/re', 're'], ['/re-view', 're-view'], ['see /re', undefined], ['/etc/hosts', undefined], ['/re view', undefined], ['one\n/re', undefined], ['', undefined]];
  for (const [text, want] of rows) test(JSON.stringify(text), () => assert.equal(commandAt(text, text.length), want));
  test('those that begin so, of an answer that may be anything', () => {
    const answer = { commands: [{ name: 'review', description: 'a' }, { name: 'init', description: 'b' }, { name: 5 }, null] };
    assert.deepEqual(commandsOf(answer, 're').map((c) => c.name), ['review']);
    for (const odd of [undefined, null, {}, { commands: {} }, 'x']) assert.deepEqual(commandsOf(odd, ''), []);
  });
  test('its parts', () => {
    assert.deepEqual(commandIn([{ type: 'text', text: '/model  a/b\nc ' }]), { name: 'model', args: 'a/b\nc' });
    assert.equal(commandIn([{ type: 'text', text: 'model' }]), undefined);
    assert.equal(commandIn([]), undefined);
  });
  test('is shown as it was typed', () => {
    const link = { type: 'resource_link' as const, uri: 'file:///a' };
    assert.deepEqual(typedIn({ prompt: [link, { type: 'text', text: 'Long.' }, { type: 'text', text: 'More.' }], typed: '/fix' }), [link, { type: 'text', text: '/fix' }, { type: 'text', text: 'More.' }]);
    assert.deepEqual(typedIn({ prompt: [link] }), [link]);
    assert.deepEqual(typedIn({}), []);
  });
});
