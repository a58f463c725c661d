import { strict as assert } from 'node:assert';
import { plainName, plainRule } from '../../src/text/plainname';

suite('files as people know them', () => {
  for (const [object, wanted] of [
    ['vault:/lib/a.js', 'lib/a.js'], ['vault@lib:/b.go', 'lib: b.go'], ['fs:/etc/hosts', '/etc/hosts'], ['vault:/**', '**'],
    ['vault:/', './'], ['vault:/lib: b.go', './lib: b.go'], ['shell:cat vault:/a', 'shell:cat vault:/a'], ['mcp:x', 'mcp:x'], ['', ''],
  ]) test(object, () => assert.equal(plainName(object), wanted));
  test('each of several rules', () => assert.equal(plainRule('edit', 'vault:/a + vault@lib:/b'), 'a + lib: b'));
  test('a command stays as it is', () => assert.equal(plainRule('bash', 'vault:/x y'), 'vault:/x y'));
});
