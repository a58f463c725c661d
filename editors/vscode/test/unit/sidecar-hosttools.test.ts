// Which tools of other extensions are declared, under which name, and what a call of one gives.
import { strict as assert } from 'node:assert';
import { call, choosable, chosen, declared, means, patternsOf, type Tool } from '../../src/sidecar/hosttools';

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({ name, description: `does ${name}`, inputSchema: { type: 'object' }, ...more });
const listed = [tool('tickets_show'), tool('tickets_add'), tool('weather')];
const names = (patterns: string[], tools = listed) => [...declared(tools, patterns).keys()];

suite('tools of other extensions', () => {
  test('none is declared that was not chosen', () => {
    assert.deepEqual(names([]), []);
    assert.deepEqual(names(['weather']), ['weather']);
    assert.deepEqual(names(['tickets_*']), ['tickets_add', 'tickets_show']);
    assert.deepEqual(names(['weathe', 'eather', '.*', 'weather.']), []);
    for (const setting of [undefined, null, '*', { 0: '*' }, [1, ' ', null]]) assert.deepEqual(patternsOf(setting), [], JSON.stringify(setting));
    assert.deepEqual(patternsOf([' weather ', 5]), ['weather']);
  });

  test('a pattern is a text with *, and nothing else in it is special', () => {
    const rows: [string, string, boolean][] = [
      ['*', 'a', true], ['a*c', 'abbc', true], ['a*c', 'abcd', false], ['a.c', 'abc', false], ['(a', '(a', true], ['a', 'A', false], ['', 'a', false],
    ];
    for (const [pattern, name, want] of rows) assert.equal(means(pattern, name), want, `${pattern} ${name}`);
  });

  test('those of this extension are never offered', () => {
    const own = ['agent-sidecar_run', 'agentSidecar.run', 'agentsidecar_x'].map((name) => tool(name));
    assert.deepEqual(choosable([...own, ...listed]).map(({ name }) => name), ['tickets_add', 'tickets_show', 'weather']);
    assert.deepEqual(names(['*'], own), []);
  });

  test('names, descriptions and schemas are such that the sidecar takes them', () => {
    const odd = [tool('a.b'), tool('a_b'), tool('n'.repeat(41)), tool('bare', { description: ' ', inputSchema: undefined }), tool('long', { description: 'é'.repeat(4000) })];
    const found = [...declared(odd, ['*']).values()];
    assert.equal(found.length, odd.length);
    for (const { as } of found) {
      assert.match(as.name, /^[A-Za-z0-9_-]{1,40}$/);
      assert.ok(as.description.trim() && Buffer.byteLength(as.description) <= 4096 && !as.description.includes('\uFFFD'), as.name);
      assert.equal((as.inputSchema as { type: string }).type, 'object');
    }
    assert.notEqual(found[0]!.as.name, found[1]!.as.name);
    assert.deepEqual(names(['*'], odd), names(['*'], odd), 'the same names at each start');
  });

  test('a choice keeps what the list cannot show, and takes a pattern apart that says more than was picked', () => {
    const rows: [string[], string[], string[]][] = [
      [[], ['weather'], ['weather']],
      [['gone', 'weather'], [], ['gone']],
      [['tickets_*'], ['tickets_add', 'tickets_show'], ['tickets_*']],
      [['tickets_*'], ['tickets_add', 'weather'], ['tickets_add', 'weather']],
      [['*'], ['weather'], ['weather']],
    ];
    for (const [before, picked, want] of rows) assert.deepEqual(chosen(before, listed, picked), want, JSON.stringify([before, picked]));
  });

  test('a call reaches only what was declared, by its own name', async () => {
    const known = declared([tool('a.b')], ['*']);
    const [name] = [...known.keys()];
    const asked: unknown[] = [];
    const invoke = async (...of: unknown[]) => {
      asked.push(of);
      return ['one', { type: 'image/png' }];
    };
    const result = await call(known, invoke, { callId: 'c1', name: name!, input: { id: 1 } });
    assert.deepEqual(asked, [['a.b', { id: 1 }]]);
    assert.deepEqual(result, { content: [{ type: 'text', text: 'one' }, { type: 'image/png', text: '' }], isError: false });
    await assert.rejects(call(known, invoke, { callId: 'c2', name: 'a.b', input: {} }), /no tool a\.b/);
    await assert.rejects(call(known, async () => { throw new Error('it broke'); }, { callId: 'c3', name: name!, input: {} }), /it broke/);
    assert.equal(asked.length, 1);
  });

  test('what a tool gives is bounded', async () => {
    const known = declared([tool('much')], ['*']);
    const { content = [] } = await call(known, async () => ['x'.repeat(1 << 20), 'y', 'z'], { callId: 'c1', name: 'much', input: {} });
    assert.equal(content.length, 2);
    assert.match(content[1]?.text ?? '', /^\n\[the tool gave more/);
  });
});
