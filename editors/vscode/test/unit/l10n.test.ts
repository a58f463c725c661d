// Every word that a person sees can be read in English and in Simplified Chinese, and no
// translation is left of a word that is gone.
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { sources, translated } from './strings';

const json = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
/** {0} and the like, which the words of both languages must have. */
const places = (text: string) => [...new Set(text.match(/\{\d\}/g) ?? [])].sort();

suite('l10n', () => {
  test('each word of the extension is a literal, has a translation, and each translation is used', () => {
    const { words, odd } = translated();
    assert.deepEqual(odd, [], 'the first argument of l10n.t must be a literal');
    assert.ok(words.size > 100);
    const chinese = json('l10n/bundle.l10n.zh-cn.json');
    assert.deepEqual([...words].filter((w) => !(w in chinese)), [], 'not translated');
    assert.deepEqual(Object.keys(chinese).filter((w) => !words.has(w)), [], 'no longer used');
    for (const [english, text] of Object.entries(chinese)) assert.deepEqual(places(text), places(english), english);
  });

  test('package.json names no word that is missing, and the languages have the same ones', () => {
    const used = [...readFileSync('package.json', 'utf8').matchAll(/"%([^%"]+)%"/g)].map((m) => m[1]);
    const english = json('package.nls.json'), chinese = json('package.nls.zh-cn.json');
    assert.deepEqual([...new Set(used)].sort(), Object.keys(english).sort());
    assert.deepEqual(Object.keys(chinese).sort(), Object.keys(english).sort());
    for (const [key, text] of [...Object.entries(english), ...Object.entries(chinese)]) {
      if (key.endsWith('.media')) assert.ok(readFileSync(text, 'utf8').length > 0, text);
    }
    // A link of the walkthrough that lost its command in translation does nothing.
    for (const key of Object.keys(english)) {
      const links = (text: string) => [...text.matchAll(/\(command:[^)]+\)/g)].map((m) => m[0]);
      assert.deepEqual(links(chinese[key]), links(english[key]), key);
    }
  });

  test('what a page shows comes from its words', () => {
    const page = sources().find((s) => s.file === 'settings/page/main.ts')!.text;
    const words = sources().find((s) => s.file === 'settings/strings.ts')!.text;
    for (const [, key] of page.matchAll(/\bt\('([^']+)'/g)) assert.match(words, new RegExp(`^    '?${key.replace(/\./g, '\\.')}'?: `, 'm'), key);
  });
});
