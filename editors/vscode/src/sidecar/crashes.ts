// How often the process may end by itself before somebody has to look: as every language
// client does it, five ends within three minutes are too many.
export class Crashes {
  private times: number[] = [];
  constructor(private readonly most = 5, private readonly withinMs = 180_000, private readonly now: () => number = Date.now) {}

  /** One more end; says whether it may be started again. */
  again(): boolean {
    const at = this.now();
    this.times = [...this.times.filter((t) => at - t < this.withinMs), at];
    return this.times.length < this.most;
  }

  forget(): void {
    this.times = [];
  }
}
