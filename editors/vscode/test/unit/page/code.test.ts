// The colours of code: what is shown stays letter by letter what it was, what a model
// calls a language or writes as code makes nothing but known kinds, and what is too much stays plain.
import * as assert from 'node:assert/strict';
import { languageOf, languages } from '../../../src/page/code/languages';
import { cut, kinds, limits, runsOf, type Run } from '../../../src/page/code/runs';

const text = (runs: Run[] | undefined) => runs?.map((r) => r.text).join('');
const of = (runs: Run[] | undefined, kind: string) => runs?.filter((r) => r.kind === kind).map((r) => r.text);

suite('the colours of code', () => {
  test('are of what the code is', () => {
    const go = runsOf('// a word\nfunc Greet() string {\n\treturn "Hello" + 1\n}', 'go');
    assert.deepEqual(of(go, 'comment'), ['// a word']);
    assert.deepEqual(of(go, 'string'), ['"Hello"']);
    assert.deepEqual(of(go, 'number'), ['1']);
    assert.deepEqual(of(go, 'function'), ['Greet']);
    assert.deepEqual(of(go, 'keyword'), ['func', 'return']);
    const js = runsOf('const a = `x${b(1)}y`; // z', 'js');
    assert.deepEqual(of(js, 'string'), ['`x', 'y`'], 'what is put into a string is none');
    assert.deepEqual(of(runsOf('+new\n-old\n same', 'diff'), 'added'), ['+new']);
    assert.deepEqual(of(runsOf('[server]\n"a.b" = 1\nport = 80 # p\non = true', 'toml'), 'name'), ['port ', 'on '].map((s) => s.trim()));
    assert.deepEqual(of(runsOf('{"a": [1, true]}', 'json'), 'name'), ['"a"']);
    assert.deepEqual(of(runsOf('<p class="x">&amp;<script>let a = "</p>"</script>', 'html'), 'comment'), []);
  });
  test('change no letter, in any language, and are of known kinds', () => {
    const odd = ['', '\n', '\n\n  \n', '<b>&amp;</b>\n<!-- x', '"\\', "'", '`${', '/* open', '/**/ // \\\n x', '#!/bin/sh\n$(a "$b`c`")', '${{{}}', '{{ x }}', '"""\nx', 'r#"x"# 0x1F 1_000.5e-3', '<U+202E>\t\u00e9中😀', '<<EOF\nx\nEOF', '@@ -1 +1 @@\n-a\n+b', 'a: &b\n  - *b', '<?php echo "<?= 1 ?>"; ?>', '<script>"</script>', 'class A<T extends B<C>> { }', 'x'.repeat(limits.words - 1)];
    for (const language of Object.keys(languages)) for (const code of odd) {
      const runs = runsOf(code, language);
      assert.equal(text(runs), code, `${language}: ${JSON.stringify(code)}`);
      for (const r of runs!) assert.ok(r.kind === undefined || (kinds as readonly string[]).includes(r.kind), r.kind);
    }
  });
  test('are only of languages that are here, whatever stands behind the fence', () => {
    assert.equal(languageOf('C++'), 'cpp');
    assert.equal(languageOf('ts'), 'typescript');
    for (const name of ['', 'text', 'brainfuck', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'go"><img src=x>', 'language-go', 'javascript javascript', 'go\u202e']) {
      assert.equal(languageOf(name), undefined, name);
      assert.equal(runsOf('a = 1', name), undefined, name);
    }
    for (const word of ['__proto__', 'constructor', 'toString valueOf', 'prototype']) assert.equal(text(runsOf(`${word} = ${word}()`, 'js')), `${word} = ${word}()`);
  });
  test('are none where it would be too much', () => {
    const line = 'result = compute(first, second)  # ok\n';
    const lines = (n: number) => line.repeat(n);
    assert.ok(runsOf(lines(Math.floor(limits.characters / line.length)), 'python'));
    assert.equal(runsOf(lines(limits.characters), 'python'), undefined);
    assert.equal(runsOf(`a = "${'-,'.repeat(limits.line / 2)}"`, 'python'), undefined);
    assert.equal(runsOf('word '.repeat(limits.words / 5), 'python'), undefined);
    assert.equal(runsOf('a.new (1);\n'.repeat(limits.members + 1), 'cpp'), undefined);
    assert.ok(runsOf('A.new (1);\n'.repeat(limits.members + 1), 'ruby'));
    assert.equal(runsOf('1,'.repeat(limits.pieces).replace(/.{400}/g, '$&\n').slice(0, limits.characters), 'python'), undefined);
  });
  test('are cut where the rows are', () => {
    const runs: Run[] = [{ text: 'ab', kind: 'keyword' }, { text: 'cd' }, { text: 'ef', kind: 'string' }];
    assert.deepEqual(cut(runs, 0, 6), runs);
    assert.deepEqual(cut(runs, 1, 5), [{ text: 'b', kind: 'keyword' }, { text: 'cd' }, { text: 'e', kind: 'string' }]);
    assert.deepEqual(cut(runs, 2, 2), []);
    assert.deepEqual(cut(runs, 6, 9), []);
  });
});
