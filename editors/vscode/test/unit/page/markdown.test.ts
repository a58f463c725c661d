// An answer that comes in pieces is drawn as the whole of it would be, and nothing in it
// becomes more than text, plain marks and links that may be opened.
import * as assert from 'node:assert/strict';
import { markdown } from '../../../src/page/markdown/parser';
import { cite, safeHref } from '../../../src/page/markdown/links';
import { prose, type Node } from '../../../src/page/markdown/render';
import { blockLimit, codeLines, Segmenter, type Segment } from '../../../src/page/markdown/segments';
import { visible, visibleLine, visibleOutput, visibleProse } from '../../../src/text/visible';

const documents: Record<string, string> = {
  paragraphs: 'One line\nand another.\n\nA second *paragraph* with `code`.\n\n\n\nA third.',
  'a heading that interrupts': 'para\n# head\npara\n#no head\npara\n===\nend\n---\n',
  'setext and rules': 'title\n=====\n\ntext\n\n---\n\n***\nx\n',
  lists: '- a\n- b\n  - c\n\n    loose\n- d\n\n1. x\n2. y\n\n3. z\n\n\n* other\n\npara\n',
  'a list that goes on': 'text\n- a\n\n  more of a\n\n- b\n\n\n      code of b\n\ntext',
  quotes: '> one\nlazy\n> two\n\n> three\n\npara\n> four',
  tables: 'before\n| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | `|` |\n\nafter\n\n| no | table |\n',
  fences: 'Look:\n```go\nfunc main() {\n\n}\n```\nthen\n\n~~~\n```\n~~~\n  ```ts\n  a\n    b\n  ```\nend',
  'a fence that is not closed': 'a\n\n```\nx\ny',
  'a fence of four': '````md\n```\ninner\n```\n````\nafter',
  'a fence in a list': '1. do\n   ```sh\n   ls\n   ```\n2. done\n',
  'indented code': 'a\n\n    code\n\n    more\n\nb\n',
  'html is text': '<script>alert(1)</script>\n\n<b>x</b> & <!-- y -->\n',
  'a definition is text': '[a]: https://example.com\n\n[a] and [b](https://example.com)\n',
  'blank ends': '\n\n\ntext\n   \n\n',
  'code in lists in lists': '1. do\n\n   ```go\n   x := 1\n   ```\n\n   more\n   - so\n     ~~~sh\n     ls\n     ~~~\n10. last\n',
  'code in a quote': '> said\n> ```js\n> let a\n> ```\n> end\n\nafter',
  'a table in a list': '- x\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n- y',
  'a heading right after text': 'Text\n## Head\nmore\n### Head ###\n- a\n# Head',
  'a list right after text': 'Steps:\n- one\n- two\n\nSteps:\n1. one\n   ```\n   x\n   ```\n2. two',
  'lists that begin elsewhere': '3. three\n4. four\n\ntext\n\n0. zero\n\n7) seven',
  tasks: '- [ ] open\n- [x] done\n  - [X] within\n- [y] none',
  links: '[a](https://en.example.org/wiki/A_(b)) and (https://x.example/c_d). <https://y.example> [^1] [x][y]\n\n[^1]: note\n',
  names: 'snake_case_name _private_ a*b*c `` a`b `` ``` `` ``` \\(x_1\\) $a_b$',
  'other writing': 'مرحبا `code` world\n\n- שלום (x)\n\n中文**加粗**字',
  'what may be no table': '| a |\n\n|b\n| c | d |\n|---|\n\n|---|',
  emphasis: '**bold\nover lines** and ~~gone~~ \\* `a\nb`\n\nhard  \nbreak\\\nbreak',
};

const final = (text: string) => { const s = new Segmenter(); s.update(text, true); return s.segments; };
const streamed = (text: string, sizes: () => number) => {
  const s = new Segmenter();
  for (let at = 0; at < text.length;) {
    at = Math.min(text.length, at + sizes());
    s.update(text.slice(0, at), false);
  }
  s.update(text, true);
  return s.segments;
};
let seed = 7;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;

/** What is drawn, as HTML, to be held against what markdown-it makes of the whole. */
function html(nodes: Node[]): string {
  return nodes.map((n) => (typeof n === 'string' ? n : `<${n.tag}${n.start ? ` start=${n.start}` : ''}>${html(n.children)}</${n.tag}>`)).join('');
}
const drawn = (segments: Segment[]) => segments.map((s) => (s.kind === 'prose' ? html(prose(s.text)) : `${s.first ? '<pre><code>' : ''}${s.text}${s.last ? '</code></pre>' : '\n'}`)).join('');
const squeezed = (text: string) => text.replace(/\s+/g, ' ').replace(/> </g, '><');

suite('streamed Markdown', () => {
  for (const [name, text] of Object.entries(documents)) {
    test(`${name}: the whole is drawn as markdown-it reads it`, () => {
      assert.equal(squeezed(drawn(final(text))), squeezed(html(prose(text))));
    });
    test(`${name}: in pieces it becomes the same`, () => {
      const whole = final(text);
      assert.deepEqual(streamed(text, () => 1), whole);
      for (let i = 0; i < 20; i++) assert.deepEqual(streamed(text, () => 1 + Math.floor(random() * 12)), whole);
    });
  }

  test('lines that end as those of Windows are lines', () => {
    const text = Object.values(documents).join('\n\n');
    assert.deepEqual(final(text.replaceAll('\n', '\r\n')), final(text));
    assert.deepEqual(streamed(text.replaceAll('\n', '\r\n'), () => 1), final(text));
  });

  // A list after a text was a heading until its first word came, the end of a code was a line of it, a table was words.
  for (const name of ['lists', 'tables', 'fences', 'a fence in a list', 'code in lists in lists', 'code in a quote', 'a table in a list', 'a heading right after text', 'a list right after text', 'lists that begin elsewhere', 'tasks', 'what may be no table']) {
    test(`${name}: what is shown while it comes is what will be there`, () => {
      const text = documents[name].replaceAll('`|`', 'x'); // a mark in a line is text until its other half comes
      const tags = (segments: Segment[]) => segments.flatMap((s) => (s.kind === 'code' ? ['pre'] : prose(s.text, s.closed).map((n) => (typeof n === 'string' ? '' : n.tag))));
      const words = (segments: Segment[]) => drawn(segments).replace(/<[^>]*>|\s/g, '');
      const whole = final(text);
      const s = new Segmenter();
      for (let at = 1; at <= text.length; at++) {
        s.update(text.slice(0, at), false);
        assert.ok(words(whole).startsWith(words(s.segments)), `${JSON.stringify(text.slice(0, at))} shows ${words(s.segments)}`);
        const now = tags(s.segments);
        assert.deepEqual(now, tags(whole).slice(0, now.length), JSON.stringify(text.slice(0, at)));
      }
    });
  }

  test('documents behind each other become the same in pieces', () => {
    const all = Object.values(documents).join('\n\n');
    for (let i = 0; i < 5; i++) assert.deepEqual(streamed(all, () => 1 + Math.floor(random() * 40)), final(all));
  });

  test('a closed segment is never touched again', () => {
    const text = Object.values(documents).filter((d) => !d.includes('```\nx')).join('\n\n');
    const s = new Segmenter();
    const closed: Segment[] = [];
    for (let at = 1; at <= text.length; at++) {
      s.update(text.slice(0, at), false);
      closed.forEach((c, i) => assert.equal(s.segments[i], c));
      for (const c of s.segments.slice(closed.length)) if (c.closed) closed.push(c);
    }
    assert.ok(closed.length > 20);
  });

  const long: Record<string, string> = {
    'a paragraph without an end': 'word '.repeat(12_000),
    'a word without an end': 'x'.repeat(60_000),
    'a paragraph of many lines': 'some words of a line\n'.repeat(3_000),
    'a list without an end': Array.from({ length: 3_000 }, (_, i) => `- item ${i} of it`).join('\n'),
    'a quote without an end': '> said\n'.repeat(8_000),
    'code without an end': `\`\`\`\n${'line of code\n'.repeat(5_000)}`,
  };
  for (const [name, text] of Object.entries(long)) {
    test(`${name} is cut, and no piece is drawn anew beyond its limit`, () => {
      const s = new Segmenter();
      let open = 0;
      for (let at = 0; at < text.length; at += 997) {
        s.update(text.slice(0, at), false);
        const last = s.segments.at(-1);
        if (last && !last.closed) open = Math.max(open, last.text.length);
      }
      s.update(text, true);
      assert.ok(open <= 4 * blockLimit + 1000, `${open} characters were open`);
      assert.deepEqual(s.segments, final(text));
      const joined = s.segments.map((x) => x.text).join(' ').replace(/\s+/g, '').replace(/`/g, '');
      assert.equal(joined, text.replace(/\s+/g, '').replace(/`/g, ''), 'nothing was lost');
      assert.ok(s.segments.every((x) => x.text.split('\n').length <= Math.max(codeLines, blockLimit)));
    });
  }

  const step = (n: number, lines: number) => `${n}. Make \`f${n}.go\`:\n\n   \`\`\`go\n${'   some code of it\n'.repeat(lines)}   \`\`\`\n`;
  const longParts: Record<string, string> = {
    'a list of steps with code': `Do it:\n\n${[1, 2, 3, 4].map((n) => step(n, 150)).join('\n')}\nThen the end.`,
    'a step with more code than is kept together': `${step(1, 900)}\n   Then more of it.\n${step(2, 20)}\nThen the end.`,
    'one that is not closed': `1. a\n\n   \`\`\`go\n${'   some code of it\n'.repeat(900)}2. b\n\nThen the end.`,
    'a quote with code': `> said\n>\n> \`\`\`\n${'> some code of it\n'.repeat(300)}> \`\`\`\n>\n> end\n\nThen the end.`,
  };
  for (const [name, text] of Object.entries(longParts)) {
    test(`${name} is cut between its parts: code stays code, and text stays text`, () => {
      const segments = final(text);
      for (const s of segments) {
        if (s.kind === 'code') assert.doesNotMatch(s.text, /^(?!some code of it$)/m, 'words in a code');
        else assert.doesNotMatch(html(prose(s.text)).replace(/<pre>.*?<\/pre>/gs, ''), /some code/, 'code in the words');
      }
      const shown = (x: Segment[]) => drawn(x).replace(/<[^>]*>/g, '');
      assert.equal(shown(segments).split('some code').length, text.split('some code').length, 'nothing was lost');
      assert.match(drawn(segments), /<p>Then the end.<\/p>$/);
      if (name.includes('steps')) assert.deepEqual(segments.flatMap((s) => prose(s.text)).flatMap((n) => (typeof n !== 'string' && n.tag === 'ol' ? [n.start ?? 1] : [])), [1, 3], 'its numbers go on');
      for (let i = 0; i < 5; i++) assert.deepEqual(streamed(text, () => 1 + Math.floor(random() * 900)), segments);
    });
  }

  test('each part of a long table has its head', () => {
    const text = `| name | what |\n|---|--:|\n${Array.from({ length: 200 }, (_, i) => `| row ${i} | ${'words '.repeat(12)}|`).join('\n')}\n\nafter`;
    const segments = final(text);
    assert.ok(segments.length > 3);
    for (const s of segments.slice(0, -1)) assert.match(html(prose(s.text)), /^<table><thead><tr><th>name<\/th><th>what<\/th><\/tr><\/thead><tbody>.*<\/table>$/s);
    assert.deepEqual(drawn(segments).match(/row \d+/g), text.match(/row \d+/g));
    for (let i = 0; i < 5; i++) assert.deepEqual(streamed(text, () => 1 + Math.floor(random() * 900)), segments);
  });

  test('a code within is ended when more stands behind it, or no more comes', () => {
    const ended = (text: string, whole: boolean) => {
      const found: boolean[] = [];
      const walk = (n: Node): void => { if (typeof n !== 'string') { if (n.code) found.push(n.code.ended); n.children.forEach(walk); } };
      prose(text, whole).forEach(walk);
      return found;
    };
    const text = '1. a\n   ```go\n   x\n   ```\n2. b\n   ```go\n   y';
    assert.deepEqual(ended(text, false), [true, false]);
    assert.deepEqual(ended(text, true), [true, true]);
    assert.deepEqual(ended('- ```\n  x\n  ```\n\n  more', false), [true]);
  });

  test('a text that was withdrawn begins anew', () => {
    const s = new Segmenter();
    s.update('First answer.\n\nSecond par', false);
    s.update('Other.', false);
    assert.deepEqual(s.segments.map((x) => x.text), ['Other.']);
  });

  test('the code of a fence is given whole, whatever it was cut into', () => {
    const code = Array.from({ length: codeLines * 3 + 5 }, (_, i) => `line ${i}`).join('\n');
    const s = new Segmenter();
    s.update(`a\n\n\`\`\`go\n${code}\n\`\`\`\nb\n\n~~~\nx\n~~~`, true);
    assert.equal(s.codeOf(0), code);
    assert.equal(s.codeOf(1), 'x');
  });

  for (const [name, end] of Object.entries({ closed: '\n```', 'not closed': '', 'ending with its line': '\n' })) {
    test(`a fence of as many lines as fit has no empty end: ${name}`, () => {
      const code = Array.from({ length: codeLines * 2 }, (_, i) => `line ${i}`).join('\n');
      const whole = `\`\`\`\n${code}${end}`;
      const s = new Segmenter();
      for (let at = 1; at < whole.length; at += 7) s.update(whole.slice(0, at), false);
      s.update(whole, true);
      assert.deepEqual(s.segments, final(whole));
      assert.deepEqual(s.segments.map((x) => [x.first, x.last, x.text.split('\n').length]), [[true, false, codeLines], [false, true, codeLines]]);
    });
  }
});

suite('what CommonMark reads otherwise', () => {
  const rows: [string, string, string][] = [
    ['names', 'snake_case_name __init__.py __name__ a__b__c x__y__ __tests__/a', 'snake_case_name __init__.py __name__ a__b__c x__y__ __tests__/a'],
    ['bold is bold', '__Two words__ **__init__** __it is__', '<strong>Two words</strong> <strong>__init__</strong> <strong>it is</strong>'],
    ['formulas', '\\(a_1 * b\\) \\[\\frac{a}{b} \\\\ c\\] $$x*y*z$$ \\(a \\*b\\*', '\\(a_1 * b\\) \\[\\frac{a}{b} \\\\ c\\] $$x*y*z$$ (a *b*'],
    ['beside a sign without blanks', '**注意：**请看 和**“引号”**后 **「か」**は *（一）*二', '<strong>注意：</strong>请看 和<strong>“引号”</strong>后 <strong>「か」</strong>は <em>（一）</em>二'],
    ['no other signs', 'a * 中 * b 中** 文 **', 'a * 中 * b 中** 文 **'],
  ];
  for (const [name, text, want] of rows) test(name, () => assert.equal(html(prose(text)), `<p>${want}</p>`));
  test('tasks', () => {
    assert.equal(html(prose('- [ ] open\n- [x] *done*\n\n  [ ] not this\n- [ ]\n- [y] z\n\n[ ] nor this')),
      '<ul><li><p>☐ open</p></li><li><p>☑ <em>done</em></p><p>[ ] not this</p></li><li><p>[ ]</p></li><li><p>[y] z</p></li></ul><p>[ ] nor this</p>');
  });
});

suite('links', () => {
  const rows: [string, ReturnType<typeof safeHref>][] = [
    ['https://example.com/a?b#c', { href: 'https://example.com/a?b#c' }],
    ['HTTP://example.com', { href: 'http://example.com/' }],
    ['src/main.go', { path: 'src/main.go' }],
    ['src/main.go:12', { path: 'src/main.go', line: 12 }],
    ['main.go:12-14', { path: 'main.go', line: 12, endLine: 14 }],
    ['main.go#L3-L9', { path: 'main.go', line: 3, endLine: 9 }],
    ['/abs/a.ts#L1', { path: '/abs/a.ts', line: 1 }],
    ['javascript:alert(1)', undefined], ['JaVaScRiPt:alert(1)', undefined], [' javascript:alert(1)', undefined],
    ['java\nscript:alert(1)', undefined], ['java\u200bscript:x', undefined],
    ['command:workbench.action.quit', undefined], ['vscode://x', undefined], ['file:///etc/passwd', undefined], ['data:text/html,x', undefined],
    ['//evil.example/x', undefined], ['\\\\evil\\share', undefined], ['https://user:pw@evil.example', undefined], ['mailto:a@b.c', undefined], ['#top', undefined], ['', undefined],
    ['https:///x', undefined], ['a\u202eb.go', undefined],
  ];
  for (const [href, want] of rows) test(JSON.stringify(href), () => assert.deepEqual(safeHref(href), want));

  test('places in running text', () => {
    const places = (text: string) => cite(text).filter((p) => p.place).map((p) => p.place);
    assert.deepEqual(places('see a/b.go:12 and main.ts:3-9, also (x.py:1:5).'), [{ path: 'a/b.go', line: 12 }, { path: 'main.ts', line: 3, endLine: 9 }, { path: 'x.py', line: 1 }]);
    assert.deepEqual(places('https://example.com:8080/x at 10:30, ratio 3:1, v1.2:3, a:b:c'), []);
    assert.deepEqual(places('vault@lib:/a/b.go:12 and vault:b.go:3 and vault@a.b:dir/x:1'), [{ path: 'vault@lib:/a/b.go', line: 12 }, { path: 'vault:b.go', line: 3 }, { path: 'vault@a.b:dir/x', line: 1 }]);
    assert.deepEqual(places('/abs/a.go:7 command:a.go:1'), [{ path: '/abs/a.go', line: 7 }]);
    assert.equal(cite('see a/b.go:12.').map((p) => p.text).join(''), 'see a/b.go:12.');
  });

  test('nothing but known elements is drawn, and no link that may not be opened', () => {
    const evil = '[a](javascript:alert(1)) [b](command:x) ![i](https://evil.example/p.png) <img src=x onerror=alert(1)> [c](https://ok.example) <https://ok.example> http://ok.example/x\n\n<iframe src="//evil"></iframe>';
    const links: string[] = [];
    const walk = (n: Node) => {
      if (typeof n === 'string') return;
      assert.match(n.tag, /^(p|a|span|div|em|strong|code|br)$/);
      if (n.href !== undefined) links.push(n.href);
      n.children.forEach(walk);
    };
    prose(evil).forEach(walk);
    assert.deepEqual(links, ['https://evil.example/p.png', 'https://ok.example/', 'https://ok.example/', 'http://ok.example/x']);
    assert.ok(markdown.options.html === false);
  });
});

suite('what cannot be seen', () => {
  test('is shown by its code', () => {
    assert.equal(visible('a\u202eb\u200b\ufeff\u0007'), 'a<U+202E>b<U+200B><U+FEFF><U+0007>');
    assert.equal(visible('tab\tline\r\nend\r'), 'tab\tline\nend<U+000D>');
    assert.equal(visible('\u{e0041}\u2066x'), '<U+E0041><U+2066>x');
    assert.equal(visibleLine('a\nb\tc'), 'a b c');
  });
  test('joiners stay in prose and nowhere else', () => {
    assert.equal(visibleProse('👩\u200d💻 \u202e'), '👩\u200d💻 <U+202E>');
    assert.equal(visible('👩\u200d💻'), '👩<U+200D>💻');
  });
  test('colours and overwritten lines of a terminal', () => {
    assert.equal(visibleOutput('\u001b[31mred\u001b[0m\r\n10%\r50%\r100%\ndone\n'), 'red\n100%\ndone\n');
    assert.equal(visibleOutput('\u001b]0;title\u0007x'), '<U+001B>]0;title<U+0007>x');
  });
});
