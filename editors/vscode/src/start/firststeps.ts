// The walkthrough leads on by itself: its first step is done when a model works, its second when
// one has answered, and what is done from there opens the step behind it. Nothing takes the focus
// from a person who is at work elsewhere: there it is offered.
import { commands, type Disposable, type ExtensionContext, l10n, window } from 'vscode';
import type { Sidecar } from '../sidecar/api';

const kept = 'agentSidecar.firstSteps';
type Done = 'modelWorks' | 'answered' | 'decided';

export class FirstSteps implements Disposable {
  private prompting = false; // the chat was opened from there, and no model has answered since
  private readonly heard: Disposable;

  constructor(private readonly context: ExtensionContext, private readonly sidecar: Pick<Sidecar, 'request' | 'onEvent'>) {
    for (const step of this.done) void commands.executeCommand('setContext', `agentSidecar.${step}`, true);
    this.heard = sidecar.onEvent((e) => {
      if (e.type === 'message.assistant') void this.answered();
      if (e.type === 'approval.resolved' && e.data.by === 'client') void this.mark('decided');
    });
  }

  /** A model was chosen. It works where its provider has it; else its first answer will say so. */
  async chosen(model: string, walkthrough: boolean | undefined): Promise<void> {
    const provider = model.slice(0, Math.max(0, model.indexOf('/')));
    if (provider === '') return;
    const { providers } = await this.sidecar.request('agent/models', { provider });
    if (!providers.some((p) => !p.error && p.models.some((m) => m.name === model))) return;
    await this.mark('modelWorks');
    if (walkthrough) await this.open('chat');
  }

  async prompt(): Promise<void> {
    this.prompting = !this.done.includes('answered');
    await commands.executeCommand('agentSidecar.focusChat');
  }

  async approvals(): Promise<void> {
    await commands.executeCommand('agentSidecar.approvals');
    await this.open('settings');
  }

  private async answered(): Promise<void> {
    await this.mark('modelWorks');
    await this.mark('answered');
    if (!this.prompting) return;
    this.prompting = false;
    const next = l10n.t('Next Step');
    if (await window.showInformationMessage(l10n.t('Your agent has answered. Next: how you approve what it does.'), next) === next) await this.open('approvals');
  }

  private get done(): Done[] { return this.context.globalState.get<Done[]>(kept, []); }

  private async mark(step: Done): Promise<void> {
    const { done } = this;
    if (done.includes(step)) return;
    await commands.executeCommand('setContext', `agentSidecar.${step}`, true);
    await this.context.globalState.update(kept, [...done, step]);
  }

  private async open(step: string): Promise<void> {
    const category = `${this.context.extension.id}#start`;
    await commands.executeCommand('workbench.action.openWalkthrough', { category, step }, false);
  }

  dispose(): void { this.heard.dispose(); }
}
