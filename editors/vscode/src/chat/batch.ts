// Events go to the page some at once: a message between the processes costs more than
// what is in it, and a page draws sixty times a second at most.

/**
 * Gathers what is pushed for `delay` milliseconds and sends it in order. While a batch
 * is on its way the next one gathers, so a page that is slow gets fewer and larger ones.
 */
export class Batch<T> {
  private items: T[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private sending = false;
  private closed = false;

  constructor(private readonly send: (items: T[]) => PromiseLike<unknown> | void, private readonly delay = 16) {}

  push(...items: T[]): void {
    if (this.closed || items.length === 0) return;
    this.items.push(...items);
    if (this.timer === undefined && !this.sending) this.timer = setTimeout(() => void this.flush(), this.delay);
  }

  /** Sends what is there now, so that what is said next comes behind it. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.closed || this.items.length === 0) return;
    const items = this.items;
    this.items = [];
    this.sending = true;
    try {
      await this.send(items);
    } catch {
      // The page has gone. A new one reads the log.
    } finally {
      this.sending = false;
      if (!this.closed && this.items.length > 0 && this.timer === undefined) this.timer = setTimeout(() => void this.flush(), this.delay);
    }
  }

  /** Forgets what has not been sent: a new page reads the log. */
  clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.items = [];
  }

  dispose(): void {
    this.clear();
    this.closed = true;
  }
}
