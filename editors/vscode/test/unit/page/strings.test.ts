// Every word of the page is there in both languages, with the same things in it.
import * as assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { english, speak, t } from '../../../src/page/strings';
import { chinese } from '../../../src/page/strings.zh-cn';

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
  test('are all used', () => {
    const root = join(process.cwd(), 'src', 'page');
    const source = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.ts') && !f.startsWith('strings')).map((f) => readFileSync(join(root, f), 'utf8')).join('\n');
    const unused = Object.keys(english).filter((k) => !source.includes(`'${k}'`) && !/^(state|callState|mark|end|kind|item|risk|mode)_/.test(k));
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
