// The buttons of the settings page that sign in to an MCP server: what the page may say.
import * as assert from 'node:assert/strict';
import { understood } from '../../src/settings/words';

suite('the settings page and signing in', () => {
  test('names a server and what to do', () => {
    assert.deepEqual(understood({ type: 'sign', id: 1, sign: { op: 'signIn', server: 'notes', url: 'https://evil.example' } }), { type: 'sign', id: 1, sign: { op: 'signIn', server: 'notes' } });
  });
  for (const wrong of [undefined, null, 7, {}, { op: 'list', server: 'notes' }, { op: 'signIn' }, { op: 'signIn', server: 7 }]) {
    test(`is not believed with ${JSON.stringify(wrong)}`, () => assert.equal(understood({ type: 'sign', id: 1, sign: wrong }), undefined));
  }
});
