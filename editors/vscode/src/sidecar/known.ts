// What a running process has said of itself: as it began, and as the configuration has
// become since, whoever has written it.
import type { AgentCapabilities, ConfigChanged, Runner } from '../protocol';

export class Known {
  private said: AgentCapabilities | undefined;
  private chosen: string | undefined;
  private away: readonly Runner[] = [];
  private begins: string | undefined;

  get capabilities(): AgentCapabilities | undefined {
    return this.said;
  }

  /** The model of new sessions, '' where none is set. */
  get model(): string {
    return this.chosen ?? this.said?.models[0] ?? '';
  }

  /** The mode that sessions begin in; undefined where that is not known. */
  get mode(): string | undefined {
    return this.begins;
  }

  /** The machines beside this one that sessions can work on, as they are now. */
  get runners(): readonly Runner[] {
    return this.away;
  }

  /** A process runs, or none does any more. */
  begin(capabilities: AgentCapabilities | undefined): void {
    this.said = capabilities;
    this.chosen = undefined;
    this.away = [];
    this.begins = undefined;
  }

  /** The configuration is another one; false where nobody has begun. */
  changed({ model, models }: ConfigChanged): boolean {
    if (!this.said) return false;
    this.chosen = model;
    this.said = { ...this.said, models };
    return true;
  }

  /** What the configuration says of the mode, of a sidecar that knows one. */
  modeIs(mode: unknown): void {
    this.begins = this.said && typeof mode === 'string' ? mode : undefined;
  }

  /** Which runners there are, of a sidecar that knows any. */
  runnersAre(runners: readonly Runner[] | undefined): void {
    this.away = this.said ? runners ?? [] : [];
  }

  /** One of them is otherwise now; one that nobody has named yet is asked for. */
  runnerChanged(runner: Runner): boolean {
    const known = this.away.some((r) => r.name === runner.name);
    this.away = this.away.map((r) => (r.name === runner.name ? runner : r));
    return known;
  }

  /** What was asked for behind a change: of a sidecar that tells of none, the models too. */
  learned(now: Pick<AgentCapabilities, 'models' | 'agents' | 'sandbox'>): void {
    if (this.said) this.said = { ...this.said, ...now };
  }
}
