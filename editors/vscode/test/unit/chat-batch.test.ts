import { strict as assert } from 'node:assert';
import { Batch } from '../../src/chat/batch';

const soon = () => new Promise((done) => setImmediate(done));

suite('events on their way to the page', () => {
  test('what came together goes together, in order', async () => {
    const sent: number[][] = [];
    const all = new Promise<void>((done) => {
      const batch = new Batch<number>((items) => { sent.push(items); done(); }, 1);
      batch.push(1, 2);
      batch.push(3);
    });
    await all;
    assert.deepEqual(sent, [[1, 2, 3]]);
  });

  test('a slow page gets fewer and larger batches, and nothing is lost', async () => {
    const sent: number[][] = [];
    let free!: () => void;
    const second = new Promise<void>((done) => {
      const batch = new Batch<number>((items) => {
        sent.push(items);
        if (sent.length === 2) done();
        return new Promise<void>((go) => { free = go; });
      }, 1);
      batch.push(1);
      void batch.flush();
      for (let n = 2; n <= 1000; n++) batch.push(n);
    });
    await soon();
    assert.deepEqual(sent, [[1]]);
    free();
    await second;
    assert.equal(sent[1]!.length, 999);
    assert.equal(sent[1]!.at(-1), 1000);
  });

  test('a page that has gone stops nothing', async () => {
    const sent: number[][] = [];
    const batch = new Batch<number>((items) => { sent.push(items); if (sent.length === 1) throw new Error('gone'); }, 1);
    batch.push(1);
    await batch.flush();
    batch.push(2);
    await batch.flush();
    assert.deepEqual(sent, [[1], [2]]);
    batch.dispose();
    batch.push(3);
    await batch.flush();
    assert.equal(sent.length, 2);
  });
});
