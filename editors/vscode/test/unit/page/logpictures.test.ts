// Pictures of the log: read once, in pieces, one after the other, and not without bounds.
import * as assert from 'node:assert/strict';
import { LogPictures } from '../../../src/page/conversation/logpictures';
import { mostBytes } from '../../../src/page/pictures';

type Params = { sessionId?: string; uri?: string; offset?: number; length?: number };

/** The pictures of a log, read as the sidecar gives them. */
function log(pictures: Record<string, { bytes: Uint8Array; mimeType: string; size?: number }>) {
  const asked: Params[] = [];
  const came: string[][] = [];
  let under = 0;
  const shown = new LogPictures(async (p: Params) => {
    asked.push(p);
    assert.equal(++under, 1, 'one after the other');
    await Promise.resolve();
    under--;
    const file = pictures[p.uri!];
    if (!file) throw new Error('not found');
    const data = file.bytes.subarray(p.offset, p.offset! + p.length!);
    const next = p.offset! + data.length;
    const eof = next >= file.bytes.length;
    return { artifactId: '', uri: '', fileUri: '', lines: 0, sha256: '', encoding: 'base64', offset: p.offset!, mimeType: file.mimeType, bytes: file.size ?? file.bytes.length, data: Buffer.from(data).toString('base64'), nextOffset: eof ? null : next, eof };
  }, (rows) => came.push([...rows]));
  return { shown, asked, came, settled: () => new Promise((done) => setTimeout(done, 0)) };
}

const png = (n: number) => ({ bytes: Uint8Array.from({ length: n }, (_, i) => i % 251), mimeType: 'image/png' });

suite('the pictures of a log', () => {
  test('come in pieces and are whole, for all rows that want them', async () => {
    const a = png(500_000);
    const { shown, asked, came, settled } = log({ a });
    assert.equal(shown.of('s', 'a', 'row 1'), undefined);
    assert.equal(shown.of('s', 'a', 'row 2'), undefined);
    await settled();
    assert.equal(shown.of('s', 'a', 'row 3'), `data:image/png;base64,${Buffer.from(a.bytes).toString('base64')}`);
    assert.deepEqual(came, [['row 1', 'row 2']]);
    assert.deepEqual(asked.map((p) => p.offset), [0, 196608, 393216]);
    assert.ok(asked.every((p) => p.sessionId === 's' && p.uri === 'a'));
  });
  test('that cannot be read, are no picture or too large stay names, and the next one comes', async () => {
    const { shown, asked, came, settled } = log({ pdf: { ...png(9), mimeType: 'application/pdf' }, svg: { ...png(9), mimeType: 'image/svg+xml' }, large: { ...png(600_000), size: mostBytes + 1 }, a: png(3) });
    for (const uri of ['none', 'pdf', 'svg', 'large', 'a']) shown.of('s', uri, uri);
    await settled();
    assert.deepEqual(came, [['a']]);
    for (const uri of ['none', 'pdf', 'svg', 'large']) assert.equal(shown.of('s', uri, uri), undefined);
    await settled();
    assert.equal(asked.length, 5, 'nothing is asked for twice, and no more of what is too large');
  });
  test('are held up to a bound', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `p${i}`);
    const { shown, came, settled } = log(Object.fromEntries(names.map((n) => [n, { ...png(3), size: mostBytes }])));
    for (const n of names) shown.of('s', n, n);
    while (came.length < 6) await settled();
    for (let i = 0; i < 20; i++) await settled();
    assert.deepEqual(came.flat(), names.slice(0, 6));
  });
  test('of a session that is left are forgotten', async () => {
    const { shown, came, settled } = log({ a: png(500_000), b: png(3) });
    shown.of('s', 'a', 'r');
    shown.of('s', 'b', 'r');
    shown.forget();
    await settled();
    assert.deepEqual(came, []);
    shown.of('t', 'b', 'r');
    await settled();
    assert.deepEqual(came, [['r']]);
  });
});
