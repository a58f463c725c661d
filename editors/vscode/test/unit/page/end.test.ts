// What the end of a run says of its cost.
import * as assert from 'node:assert/strict';
import { spent } from '../../../src/page/rows/end';

suite('the cost of a run', () => {
  test('is with its tokens, and marked where it was computed', () => {
    const usage = { inputTokens: 2000, outputTokens: 50, cachedTokens: 1500 };
    const tokens = `Tokens: ${(2000).toLocaleString()} in (75 % cached), 50 out`;
    assert.equal(spent(usage), tokens);
    assert.equal(spent({ ...usage, cost: { amount: 0.07, currency: 'USD' } }), `${tokens} · 0.07 USD`);
    assert.equal(spent({ ...usage, cost: { amount: 0.00180001, currency: 'USD', estimated: true } }), `${tokens} · ~0.0018 USD`);
  });
});
