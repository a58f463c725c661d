// A problem of others as words for the model.
import * as assert from 'node:assert/strict';
import { wordsOf } from '../../src/inline/words';

const at = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 1 } }) as never;

suite('a problem for the agent', () => {
  test('says where it is, who says it, and what; bounded', () => {
    assert.equal(wordsOf({ message: 'x is not defined', source: 'ts', code: 2304, range: at(4) }), 'Fix this problem in line 5 (ts 2304):\n\nx is not defined');
    assert.equal(wordsOf({ message: 'odd', source: undefined, code: undefined, range: at(0) } as never), 'Fix this problem in line 1:\n\nodd');
    assert.equal(wordsOf({ message: 'odd', source: 'lint', code: { value: 'no-x', target: undefined as never }, range: at(0) }), 'Fix this problem in line 1 (lint no-x):\n\nodd');
    assert.ok(wordsOf({ message: 'y'.repeat(9999), source: 's', code: 1, range: at(0) }).length < 2100);
  });
});
