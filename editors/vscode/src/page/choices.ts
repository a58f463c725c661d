// What the menus offer: the mode, the agent and the model of the session, and what can be
// done with it.
import type { SidecarView } from '../chat/messages';
import { visibleLine } from '../text/visible';
import type { Host } from './conversation/host';
import type { Talk } from './conversation/talk';
import type { Choice } from './menu';
import { t } from './strings';

export interface Choosing {
  readonly sidecar: SidecarView;
  /** Does it, and says to the person what went wrong. */
  attempt(work: () => Promise<unknown>): void;
  /** A session was begun for what was chosen. */
  begun(): void;
}

export class Choices {
  constructor(private readonly host: Host, private readonly talk: Talk, private readonly choosing: Choosing) {}

  modes(): Choice[] {
    const full = this.talk.model.session.mode === 'full_access';
    const set = (mode: 'agent' | 'full_access') => () => {
      if (this.talk.sessionId === null && mode === 'agent') return; // every session begins so
      this.choosing.attempt(async () => {
        const sessionId = this.talk.sessionId ?? await this.talk.begin();
        this.choosing.begun();
        await this.host.perform({ do: 'setMode', sessionId, mode });
      });
    };
    return [
      { label: t('mode_agent'), hint: t('modeAgentHint'), checked: !full, run: set('agent') },
      { label: t('mode_full_access'), hint: t('modeFullHint'), checked: full, run: set('full_access') },
    ];
  }

  get primaries() { return (this.choosing.sidecar.capabilities?.agents ?? []).filter((a) => a.mode === 'primary'); }

  /** The agent of the next run, where one is known. */
  get agent(): string | undefined { return this.talk.model.session.agent ?? this.talk.wanted.agent ?? this.primaries[0]?.name; }

  agents(): Choice[] {
    const now = this.agent;
    return this.primaries.map((a) => ({ label: visibleLine(a.name), hint: visibleLine(a.description), checked: a.name === now, run: () => this.choosing.attempt(() => this.talk.update({ agent: a.name })) }));
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

  otherModel(): void { this.command('agentSidecar.selectModel'); }

  /** The editor asks where; a session that is there is the one that is meant. */
  workOn(): void { this.command('agentSidecar.switchRunner'); }

  /** What can be done with the session that is shown. */
  more(): Choice[] {
    const id = this.talk.sessionId;
    const none = id === null;
    const act = (what: 'rename' | 'delete' | 'export') => () => this.choosing.attempt(() => this.host.perform({ do: what, sessionId: id! }));
    return [
      { label: t('compact'), icon: 'fold', disabled: none || this.talk.readOnly, run: () => this.choosing.attempt(() => this.host.request('agent/session/compact', { sessionId: id! })) },
      { label: t('forkSession'), icon: 'repo-forked', disabled: none, run: () => this.choosing.attempt(() => this.talk.forkAt(undefined)) },
      { label: t('renameSession'), icon: 'edit', disabled: none || this.talk.readOnly, run: act('rename') },
      { label: t('exportSession'), icon: 'export', disabled: none, run: act('export') },
      { label: t('deleteSession'), icon: 'trash', disabled: none || this.talk.readOnly, run: act('delete') },
      ...(this.choosing.sidecar.runners?.length || this.talk.model.session.runner ? [{ label: t('workOn'), icon: 'remote', disabled: this.talk.readOnly, run: () => this.workOn() }] : []),
      { label: t('openSettings'), icon: 'gear', run: () => this.command('agentSidecar.openSettings') },
    ];
  }

  private command(command: string): void { this.choosing.attempt(() => this.host.perform({ do: 'command', command })); }
}
