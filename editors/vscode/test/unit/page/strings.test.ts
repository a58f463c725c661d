// Every word of the page is there in both languages, with the same things in it.
import * as assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { english, speak, t } from '../../../src/page/strings';
import { chinese } from '../../../src/page/strings.zh-cn';
import { translated } from '../strings';

suite('the words of the page', () => {
  test('are all translated, and speak of the same things', () => {
    assert.deepEqual(Object.keys(chinese).sort(), Object.keys(english).sort());
    const places = (s: string) => [...s.matchAll(/\{\d\}/g)].map((m) => m[0]).sort();
    for (const [key, text] of Object.entries(english)) {
      const other = chinese[key as keyof typeof english];
      assert.deepEqual(places(other), places(text), key);
      if (/[A-Za-z]{3}/.test(text.replace(/\{\d\}/g, ''))) assert.match(other, /\p{Script=Han}/u, key);
    }
  });
  test('say one thing as one', () => {
    // Of these there is never exactly one.
    const many = new Set<string>(['showAll', 'tooManyImages', 'contextUsed', 'contextUsedOnly', 'mark_compacted', 'mark_loop', 'mark_pruned_one'].map((k) => english[k as keyof typeof english]));
    for (const w of ['The previous contents of {0} files are no longer kept.', '… the rest is not shown: {0} of {1} bytes. The full output is {2}', '{0} does not answer', '{0} answers, but has no list of models', '{0} ms']) many.add(w); // one file is named; a rest is long; a server; a unit
    const words = [...Object.values(english), ...translated().words];
    const form = (s: string) => s.replace(/\{\d\}/g, '#');
    const known = new Set(words.map(form));
    const counts = /\{\d\} (?=([a-z]+)s\b)\1s/;
    const alone = words.filter((s) => counts.test(s) && !many.has(s) && !['1', 'a'].some((one) => known.has(form(s.replace(counts, `${one} $1`).replace('1 result are', '1 result is')))));
    assert.deepEqual(alone, []);
  });
  test('are all used', () => {
    const root = join(process.cwd(), 'src', 'page');
    const source = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.ts') && !f.startsWith('strings')).map((f) => readFileSync(join(root, f), 'utf8')).join('\n');
    const unused = Object.keys(english).filter((k) => !source.includes(`'${k}'`) && !/^(state|callState|mark|mention|reason|end|kind|item|risk|mode|verdict)_/.test(k));
    assert.deepEqual(unused, []);
  });
  test('follow the locale, and what the extension replaces', () => {
    speak('zh-cn');
    assert.equal(t('send'), chinese.send);
    speak('en', { send: 'Go' });
    assert.equal(t('send'), 'Go');
    speak('en');
    assert.equal(t('exitCode', 3), 'exit code 3');
  });
});
