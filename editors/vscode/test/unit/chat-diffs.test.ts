// Which files go with "uncommitted changes", and that a diff is of one of them and not of more.
import { strict as assert } from 'node:assert';
import { filesOf, isOfOne, isPlain } from '../../src/chat/diffs';

suite('uncommitted changes', () => {
  const at = (path: string) => ({ path, toString: () => `file://${path}` });

  test('each file is there once, with what is so by now', () => {
    const found = filesOf([{ uri: at('/w/a'), status: 0 }, { uri: at('/w/b'), status: 2 }, { uri: at('/w/a'), status: 6 }, { uri: at('/w/c'), status: 7 }, { uri: at('/w/d'), status: 5 }]);
    assert.deepEqual(found.map(([uri, how]) => [uri.path, how]), [['/w/a', 'deleted'], ['/w/b', 'deleted'], ['/w/c', 'not tracked'], ['/w/d', 'changed']]);
  });

  test('a name that git takes for a pattern is not asked for', () => {
    for (const path of ['/w/*', '/w/a?.txt', '/w/[ab].txt', '/w/a\\*', '/w/:!x', '/w/:(glob)x']) assert.equal(isPlain(path), false, path);
    for (const path of ['/w/a.txt', '/w/a b/ü.txt', '/c:/w/a.txt', '/w/a:b']) assert.equal(isPlain(path), true, path);
  });

  test('what is of several files, or of none, is no diff of one', () => {
    const one = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-diff --git a/x b/x\n+diff --cc y\n';
    assert.ok(isOfOne(one));
    for (const text of ['', one + one, `${one}diff --cc b\n`, 'Submodule lib 1..2:\n', `warning: x\n${one}`]) assert.equal(isOfOne(text), false, text);
  });
});
