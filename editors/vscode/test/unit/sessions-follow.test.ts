import { strict as assert } from 'node:assert';
import { Follower, type Following } from '../../src/sessions/follow';
import type { AgentEvent, EventsParams, EventsResult } from '../../src/protocol';

/** A log that somebody else writes, a clock that nobody waits for. */
class World implements Following {
  log: AgentEvent[] = [];
  asked: EventsParams[] = [];
  slept: number[] = [];
  got: number[] = [];
  gone: string[] = [];
  owners: (number | null)[] = [];
  pid: number | undefined = 7;
  time = 0;
  fail: (() => unknown) | undefined;
  waits = true;
  private wake: (() => void) | undefined;
  private until: { done: () => boolean; go: () => void } | undefined;

  write(...seqs: number[]): void {
    for (const seq of seqs) this.log.push({ sessionId: 's', seq, time: '', type: 'run.ended', data: {} } as unknown as AgentEvent);
    this.wake?.();
  }
  async read(params: EventsParams): Promise<EventsResult> {
    this.asked.push(params);
    this.check();
    if (this.fail) throw this.fail();
    const find = () => this.log.filter((e) => e.seq! > (params.after ?? 0));
    if (find().length === 0 && params.waitMs && this.waits) {
      await new Promise<void>((done) => { this.wake = done; });
      this.time += 5000;
    }
    const events = find();
    const tailSeq = this.log.at(-1)?.seq ?? 0;
    return { events, nextAfter: events.at(-1)?.seq ?? params.after ?? 0, hasMore: false, tailSeq, ...(this.pid !== undefined && { lockedBy: { pid: this.pid } }) } as EventsResult;
  }
  told(_: string, events: AgentEvent[]): void {
    this.got.push(...events.map((e) => e.seq!));
    this.check();
  }
  lockedBy(_: string, by: { pid: number } | null): void {
    this.owners.push(by?.pid ?? null);
    this.check();
  }
  lost(id: string): void {
    this.gone.push(id);
    this.check();
  }
  async sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.check();
    await new Promise((done) => setImmediate(done));
  }
  now(): number {
    return this.time;
  }
  when(done: () => boolean): Promise<void> {
    return new Promise((go) => { this.until = { done, go }; this.check(); });
  }
  private check(): void {
    if (this.until?.done()) this.until.go();
  }
}

suite('following a session of another window', () => {
  test('begins behind what is there and gives each event once', async () => {
    const w = new World();
    w.write(1, 2, 3);
    const f = new Follower(w);
    await f.follow('s');
    assert.deepEqual(w.got, []);
    w.write(4);
    await w.when(() => w.got.length === 1);
    w.write(5, 6);
    await w.when(() => w.got.length === 3);
    assert.deepEqual(w.got, [4, 5, 6]);
    assert.deepEqual(w.slept, []);
    f.stop();
  });

  test('goes on after errors that pass, waiting longer each time', async () => {
    const w = new World();
    const f = new Follower(w);
    await f.follow('s');
    w.fail = () => Object.assign(new Error('x'), { data: { kind: 'overloaded' } });
    w.write(1); // answers the page that waits; the next ones fail
    await w.when(() => w.slept.length === 7);
    assert.deepEqual(w.slept.slice(0, 7), [1000, 2000, 4000, 8000, 16000, 30000, 30000]);
    w.fail = undefined;
    w.write(2);
    await w.when(() => w.got.includes(2));
    assert.deepEqual(w.got, [1, 2]);
    f.stop();
  });

  test('ends when the session is gone', async () => {
    const w = new World();
    const f = new Follower(w);
    await f.follow('s');
    w.fail = () => Object.assign(new Error('x'), { data: { kind: 'session_not_found' } });
    w.write(1);
    await w.when(() => w.gone.length === 1);
    assert.equal(f.sessionId, undefined);
  });

  test('who has the session is told when it changes', async () => {
    const w = new World();
    const f = new Follower(w);
    await f.follow('s');
    w.write(1);
    await w.when(() => w.owners.length === 1);
    w.write(2);
    await w.when(() => w.got.length === 2);
    w.pid = undefined;
    w.write(3);
    await w.when(() => w.owners.length === 2);
    assert.deepEqual(w.owners, [7, null]);
    f.stop();
  });

  test('a sidecar that does not wait is not asked without pause', async () => {
    const w = new World();
    w.waits = false;
    const f = new Follower(w);
    await f.follow('s');
    await w.when(() => w.slept.length === 3);
    f.stop();
    assert.ok(w.asked.length <= 5);
    assert.ok(w.slept.every((ms) => ms === 1000));
  });

  test('what comes after the end of following is not told', async () => {
    const w = new World();
    const f = new Follower(w);
    await f.follow('s');
    f.stop();
    w.write(1);
    await new Promise((done) => setImmediate(done));
    assert.deepEqual(w.got, []);
  });
});
