import { strict as assert } from 'node:assert';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { citation, locate, webLink, type Disk } from '../../src/chat/place';
import { inFolders, pattern, ranked } from '../../src/chat/search';

const disk: Disk = { real: (p) => fs.realpath(p), isFile: async (p) => (await fs.stat(p)).isFile() };

suite('citations', () => {
  for (const [text, wanted] of [
    ['src/a.go', { path: 'src/a.go' }],
    ['src/a.go:12', { path: 'src/a.go', line: 12 }],
    ['src/a.go:12-20', { path: 'src/a.go', line: 12, endLine: 20 }],
    ['src/a.go:12:5', { path: 'src/a.go', line: 12 }],
    ['src/a.go#L3-L9', { path: 'src/a.go', line: 3, endLine: 9 }],
    ['src/a.go:20-12', { path: 'src/a.go', line: 20 }],
    ['vault:/a.go:1', { path: 'vault:/a.go', line: 1 }],
    ['C:\\x\\a.go:4', { path: 'C:\\x\\a.go', line: 4 }],
    ['a.go:0', { path: 'a.go' }],
  ] as const) test(text, () => assert.deepEqual(citation(text), wanted));
});

suite('where a named path leads', () => {
  let root: string;
  let folders: { name: string; path: string }[];
  const find = async (p: string) => (await locate(p, folders, disk, path));

  suiteSetup(async () => {
    root = await fs.mkdtemp(path.join(os.tmpdir(), 'place-'));
    for (const dir of ['one/src', 'two', 'one-more', 'out']) await fs.mkdir(path.join(root, dir), { recursive: true });
    for (const file of ['one/src/a.go', 'two/b.go', 'one-more/c.go', 'out/secret', 'one/..d']) await fs.writeFile(path.join(root, file), 'x');
    await fs.symlink(path.join(root, 'out/secret'), path.join(root, 'one/link'));
    await fs.symlink(path.join(root, 'out'), path.join(root, 'one/dir'));
    await fs.symlink(path.join(root, 'one/src/a.go'), path.join(root, 'one/inner'));
    await fs.symlink(path.join(root, 'one'), path.join(root, 'here'));
    folders = [{ name: 'here', path: path.join(root, 'here') }, { name: 'two', path: path.join(root, 'two') }];
  });
  suiteTeardown(() => fs.rm(root, { recursive: true, force: true }));

  for (const inside of ['src/a.go', 'vault:/src/a.go', 'vault@two:/b.go', 'b.go', 'inner', '..d', './src/../src/a.go']) {
    test(`${inside} lies inside`, async () => assert.equal((await find(inside)).kind, 'inside'));
  }
  for (const outside of ['link', 'dir/secret', '../out/secret', '../one-more/c.go', 'vault:/../out/secret']) {
    test(`${outside} lies outside, and is named by where it really is`, async () => {
      const place = await find(outside);
      assert.equal(place.kind, 'outside');
      assert.doesNotMatch((place as { shown: string }).shown, /here|link|dir/);
    });
  }
  test('an absolute path is judged by the disk too', async () => {
    assert.equal((await find(path.join(root, 'one/src/a.go'))).kind, 'inside');
    assert.equal((await find(path.join(root, 'out/secret'))).kind, 'outside');
  });
  for (const missing of ['none.go', 'src', 'dir', 'vault@three:/b.go', '']) {
    test(`${JSON.stringify(missing)} is no file`, async () => assert.notEqual((await find(missing)).kind, 'inside'));
  }
  test('a share of another machine is refused before anybody looks', async () => {
    const looked: string[] = [];
    const windows: Disk = { real: async (p) => { looked.push(p); return p; }, isFile: async () => true };
    const open = [{ name: 'w', path: 'C:\\w' }, { name: 's', path: '\\\\server\\share\\w' }];
    for (const bad of ['\\\\evil\\share\\a.go', '//evil/share/a.go', '/\\evil\\a', '\\\\?\\UNC\\evil\\a', '\\\\.\\pipe\\x', '\\\\server\\share\\other\\a']) {
      assert.equal((await locate(bad, open, windows, path.win32)).kind, 'refused', bad);
    }
    assert.deepEqual(looked, []);
    assert.equal((await locate('\\\\server\\share\\w\\a.go', open, windows, path.win32)).kind, 'inside');
  });
  for (const bad of ['command:workbench.action.terminal.new', 'http://x.test/a', 'file:///etc/passwd', 'vscode://x/y', 'javascript:alert(1)', 'a\0b', 'x'.repeat(5000)]) {
    test(`${JSON.stringify(bad.slice(0, 40))} is refused`, async () => assert.equal((await find(bad)).kind, 'refused'));
  }
  test('without a folder nothing is inside', async () => {
    assert.equal((await locate(path.join(root, 'one/src/a.go'), [], disk, path)).kind, 'outside');
    assert.equal((await locate('src/a.go', [], disk, path)).kind, 'missing');
  });
});

suite('links', () => {
  test('only the web', () => {
    assert.equal(webLink('https://a.test/b?c#d'), 'https://a.test/b?c#d');
    test('a share of another machine is refused before anybody looks', async () => {
    const looked: string[] = [];
    const windows: Disk = { real: async (p) => { looked.push(p); return p; }, isFile: async () => true };
    const open = [{ name: 'w', path: 'C:\\w' }, { name: 's', path: '\\\\server\\share\\w' }];
    for (const bad of ['\\\\evil\\share\\a.go', '//evil/share/a.go', '/\\evil\\a', '\\\\?\\UNC\\evil\\a', '\\\\.\\pipe\\x', '\\\\server\\share\\other\\a']) {
      assert.equal((await locate(bad, open, windows, path.win32)).kind, 'refused', bad);
    }
    assert.deepEqual(looked, []);
    assert.equal((await locate('\\\\server\\share\\w\\a.go', open, windows, path.win32)).kind, 'inside');
  });
  for (const bad of ['command:x', 'javascript:alert(1)', 'file:///x', 'vscode://x', 'data:text/html,x', '//a.test', 'a.test', ' ', 'https://']) assert.equal(webLink(bad), undefined, bad);
  });
});

suite('finding files for a mention', () => {
  test('the letters in their order, whatever the case; no pattern can come from the query', () => {
    assert.equal(pattern(''), '**/*');
    assert.equal(pattern('Ab'), '**/*[aA]*[bB]*');
    assert.equal(pattern('s/a'), '**/*[sS]*/**/*[aA]*');
    assert.equal(pattern('{*}[!]?'), '**/*');
    assert.equal(inFolders('pa/'), '**/*[pP]*[aA]*/**');
  });
  test('the best first', () => {
    assert.deepEqual(ranked(['x/reader.ts', 'read/a.ts', 'src/chat/read.ts', 'bread.ts', 'r/e/a/d.ts'], 'read'), ['x/reader.ts', 'src/chat/read.ts', 'bread.ts', 'read/a.ts', 'r/e/a/d.ts']);
  });
});
