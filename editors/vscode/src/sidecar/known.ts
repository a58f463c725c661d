// What a running process has said of itself: as it began, and as the configuration has
// become since, whoever has written it.
import type { AgentCapabilities, ConfigChanged } from '../protocol';

export class Known {
  private said: AgentCapabilities | undefined;
  private chosen: string | undefined;

  get capabilities(): AgentCapabilities | undefined {
    return this.said;
  }

  /** The model of new sessions, '' where none is set. */
  get model(): string {
    return this.chosen ?? this.said?.models[0] ?? '';
  }

  /** A process runs, or none does any more. */
  begin(capabilities: AgentCapabilities | undefined): void {
    this.said = capabilities;
    this.chosen = undefined;
  }

  /** The configuration is another one; false where nobody has begun. */
  changed({ model, models }: ConfigChanged): boolean {
    if (!this.said) return false;
    this.chosen = model;
    this.said = { ...this.said, models };
    return true;
  }

  /** What was asked for behind a change: of a sidecar that tells of none, the models too. */
  learned(now: Pick<AgentCapabilities, 'models' | 'agents' | 'sandbox'>): void {
    if (this.said) this.said = { ...this.said, ...now };
  }
}
