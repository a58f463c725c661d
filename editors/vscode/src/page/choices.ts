// What the menus offer: the mode and the model of the session, and what can be
// done with it.
import type { SidecarView } from '../chat/messages';
import { changeTo, modeAlone, modeOf, modes, ownAgents, type ModeName } from '../modes';
import { visibleLine } from '../text/visible';
import type { Host } from './conversation/host';
import type { Talk } from './conversation/talk';
import type { Choice } from './menu';
import { t, word } from './strings';

export interface Choosing {
  readonly sidecar: SidecarView;
  /** Does it, and says to the person what went wrong. */
  attempt(work: () => Promise<unknown>): void;
  /** A session was begun for what was chosen. */
  begun(): void;
}

export function asksOf(trusted: boolean, mode: ModeName): string {
  if (mode === 'full_access') return t('asksNothing');
  if (mode === 'plan') return t('asksPlan');
  if (!trusted) return t('asksAll');
  return t(mode === 'edit' ? 'asksCommands' : 'asksEdits');
}

export class Choices {
  constructor(private readonly host: Host, private readonly talk: Talk, private readonly choosing: Choosing) {}

  /** What the session is in, or would begin in. */
  private get now(): { mode?: string; agent?: string } {
    const { session } = this.talk.model;
    return this.talk.sessionId === null ? { mode: this.talk.wanted.mode ?? this.choosing.sidecar.mode, agent: this.talk.wanted.agent } : session;
  }

  /** What the button says: one of the modes, or the name of an agent of the person's own. */
  get mode(): { name: ModeName | undefined; label: string } {
    const name = modeOf(this.now);
    return { name, label: name ? word('mode', name) : visibleLine(this.now.agent ?? '') };
  }

  /** The modes, and below a line the person's own agents. */
  modes(): Choice[] {
    const now = this.mode.name;
    return [
      ...modes.map((name) => ({ label: word('mode', name), hint: word('mode_hint', name), checked: name === now, run: () => { if (name !== now) this.choose(name); } })),
      ...ownAgents(this.agents).map((a, i) => ({
        label: visibleLine(a.name), hint: visibleLine(a.description), apart: i === 0, checked: !now && a.name === this.now.agent,
        run: () => this.choosing.attempt(async () => {
          if (this.talk.sessionId === null) this.talk.want({ agent: a.name });
          else await this.host.perform({ do: 'setAgent', sessionId: this.talk.sessionId, agent: a.name });
        }),
      })),
    ];
  }

  choose(name: ModeName): void {
    this.choosing.attempt(async () => {
      const { mode, agent } = changeTo(name);
      if (this.talk.sessionId === null && name !== 'full_access') return this.talk.want({ mode, agent });
      // Full access is given to a session that is there.
      const sessionId = this.talk.sessionId ?? await this.talk.begin();
      this.choosing.begun();
      await this.host.perform({ do: 'setMode', sessionId, mode: name });
    });
  }

  private get agents() { return this.choosing.sidecar.capabilities?.agents ?? []; }

  /** What is promised of questions before anything was said: what is true of this folder and this mode, and no more. */
  get asks(): string {
    const { mode, agent } = this.now;
    return asksOf(this.choosing.sidecar.trusted, this.mode.name ?? (this.agents.find((a) => a.name === agent)?.readOnly ? 'plan' : modeAlone(mode)));
  }

  /** The model that the next run asks, '' where none is set. */
  get model(): string { return this.talk.model.session.model || this.talk.wanted.model || this.choosing.sidecar.model || ''; }

  /** How much the model may think, as the session says itself; '' where it says nothing. */
  get effort(): string { return this.talk.model.session.params?.reasoningEffort ?? ''; }

  models(): Choice[] {
    const models = this.choosing.sidecar.capabilities?.models ?? [];
    const now = this.model;
    return [...models.slice(0, 30).map((name) => ({ label: visibleLine(name), checked: name === now, run: () => this.choosing.attempt(() => this.talk.update({ model: name })) })),
      { label: t('otherModel'), icon: 'ellipsis', checked: false, run: () => this.otherModel() },
      { label: t('setEffort'), hint: visibleLine(this.effort), icon: 'lightbulb', checked: false, run: () => this.command('agentSidecar.setEffort') }];
  }

  /** Does a command of a prompt that is no prompt. False where this page does not know it. */
  perform(name: string, args: string): boolean {
    const does: Record<string, () => void> = {
      undo: () => this.command('agentSidecar.undoLastRun'),
      fork: () => this.choosing.attempt(() => this.talk.forkAt(undefined)),
      model: () => (args ? this.choosing.attempt(() => this.talk.update({ model: args })) : this.otherModel()),
      plan: () => this.choose('plan'),
      usage: () => this.command('agentSidecar.usage'),
    };
    if (!Object.hasOwn(does, name)) return false;
    does[name]();
    return true;
  }

  otherModel(): void { this.command('agentSidecar.selectModel'); }

  /** The editor asks where; a session that is there is the one that is meant. */
  workOn(): void { this.command('agentSidecar.switchRunner'); }

  private command(command: string): void { this.choosing.attempt(() => this.host.perform({ do: 'command', command })); }
}
