// Who may import whom in src, as the table of docs/design/editors.md has it, and that there is no
// way back: neither between rooms nor between files.
import * as assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { sources } from './strings';

interface Import { from: string; to: string; typeOnly: boolean }

const files = sources().map(({ file, text }) => ({ file: file.replaceAll('\\', '/'), text }));

/** The file of src that a path means. */
function fileOf(path: string): string {
  const found = [`${path}.ts`, `${path}/index.ts`, path].find((p) => existsSync(`src/${p}`));
  assert.ok(found, `${path} is no file`);
  return found;
}

const imports: Import[] = files.flatMap(({ file, text }) => [...text.matchAll(/(?:\bfrom |\bimport\(|^import )'(\.{1,2}\/[^'\n]+)'/gm)].map((m) => {
  const begin = Math.max(...['\nimport ', '\nexport '].map((word) => `\n${text}`.lastIndexOf(word, m.index)));
  return { from: file, to: fileOf(posix.join(posix.dirname(file), m[1]!)), typeOnly: /^(import|export) type /.test(text.slice(begin)) && !m[0].startsWith('import(') };
}).filter((i) => i.to.endsWith('.ts')));

/** Name and what it may import, by row. */
const table = new Map(/^\| in `editors\/vscode\/src` .*\n\|.*\n((?:\|.*\n)+)/m.exec(readFileSync('../../docs/design/editors.md', 'utf8'))![1]!.trim().split('\n').map((row) => {
  const cells = row.split('|').map((c) => [...c.matchAll(/`([^`]+)`/g)].map((m) => m[1]!));
  return [cells[1]![0]!, { may: cells[2]!, everything: row.split('|')[2]!.trim() === 'everything' }] as const;
}));

/** The innermost row that a file belongs to. */
const roomOf = (file: string) => [...table.keys()].filter((r) => file === r || file.startsWith(`${r}/`)).sort((a, b) => b.length - a.length)[0];

suite('the rooms of the extension', () => {
  test('all stand in the table', () => {
    assert.deepEqual(files.map((f) => f.file).filter((f) => roomOf(f) === undefined && !f.endsWith('.d.ts')), []);
    assert.ok(imports.length > 200, `only ${imports.length} imports were found`);
  });
  for (const [room, { may, everything }] of table) {
    test(`${room} imports what it may, and no less`, () => {
      const out = imports.filter((i) => roomOf(i.from) === room && roomOf(i.to) !== room);
      const covers = (one: string, i: Import) => i.to === one || roomOf(i.to) === one;
      if (!everything) assert.deepEqual(out.filter((i) => !may.some((m) => covers(m, i))).map((i) => `${i.from} imports ${i.to}`), []);
      assert.deepEqual(may.filter((m) => !out.some((i) => covers(m, i))), [], 'not needed any more');
    });
  }
  test('what runs in a web view knows no editor', () => {
    assert.deepEqual(files.filter((f) => /^(page|settings\/page)\//.test(f.file) && /from '(vscode|node:)/.test(f.text)).map((f) => f.file), []);
  });
  test('no room leads back to itself', () => assert.deepEqual(circle(imports.map((i) => [roomOf(i.from)!, roomOf(i.to)!])), []));
  test('no file leads back to itself', () => assert.deepEqual(circle(imports.filter((i) => !i.typeOnly).map((i) => [i.from, i.to])), []));
});

/** A way from something back to it. */
function circle(edges: [string, string][]): string[] {
  const to = new Map<string, string[]>();
  for (const [a, b] of edges) if (a !== b) to.set(a, [...(to.get(a) ?? []), b]);
  const done = new Set<string>();
  const walk = (at: string, way: string[]): string[] => {
    if (way.includes(at)) return [...way.slice(way.indexOf(at)), at];
    if (done.has(at)) return [];
    for (const next of to.get(at) ?? []) {
      const found = walk(next, [...way, at]);
      if (found.length > 0) return found;
    }
    done.add(at);
    return [];
  };
  for (const start of to.keys()) {
    const found = walk(start, []);
    if (found.length > 0) return found;
  }
  return [];
}
