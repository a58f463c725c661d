// What stands above the conversation: which session, where it works, what is in the way of working.
import type { SidecarView } from '../chat/messages';
import { visibleLine } from '../text/visible';
import { button, el, icon } from './dom';
import type { Place } from './place';
import { t } from './strings';

export interface HeadState { title: string; place: Place | undefined }

/** The editor has the title and the buttons in the row of the view; below it stands only where a session works that is not on this machine. */
export class Head {
  private readonly title = el('h1', { class: 'hidden-label' });
  private readonly place: HTMLButtonElement;
  private placed = '';
  readonly node: HTMLElement;

  constructor(private readonly actions: { titled(title: string): void; workOn(): void }) {
    this.place = button('', actions.workOn, { class: 'badge place', hidden: true });
    this.node = el('header', { class: 'head' }, this.title, this.place);
  }

  show(s: HeadState): void {
    const title = visibleLine(s.title);
    const shown = title || t('untitled');
    if (this.title.textContent !== shown) {
      this.title.textContent = shown;
      this.actions.titled(title);
    }
    this.showPlace(s.place);
  }

  private showPlace(p: Place | undefined): void {
    const now = JSON.stringify(p ?? null);
    if (now === this.placed) return;
    this.placed = now;
    this.place.hidden = !p;
    if (!p) return;
    this.place.className = `badge place ${p.kind}`;
    this.place.title = p.hint;
    this.place.replaceChildren(icon(p.kind === 'here' ? 'device-desktop' : 'remote'), p.text);
  }
}

export interface Trouble { sidecar: SidecarView; problem: string; locked: { free?: boolean } | undefined; interrupted: boolean; running: boolean }
export interface Ways { command(name: string): void; fork(): void; takeOver(): void; goOn(): void }

/** Banners under the head. They are drawn anew only when they say something else. */
export class Banners {
  readonly node = el('div', { class: 'banners' });
  private shown = '';

  constructor(private readonly ways: Ways) {}

  show(s: Trouble): void {
    const key = JSON.stringify([s.sidecar.state, s.sidecar.message, s.sidecar.trusted, !s.sidecar.model, s.problem, s.locked, s.interrupted && !s.running]);
    if (key === this.shown) return;
    this.shown = key;
    const w = this.ways;
    const command = (label: string, name: string) => button(label, () => w.command(name), { class: 'link' });
    const all: HTMLElement[] = [];
    const { state, message } = s.sidecar;
    const why = message ? visibleLine(message) : t('sidecarStopped');
    if (state === 'starting') all.push(banner('info', 'loading', t('sidecarStarting')));
    else if (state === 'restarting') all.push(banner('warning', 'sync', t('sidecarRestarting')));
    else if (state === 'missing') all.push(banner('error', 'error', why, command(t('setPath'), 'agentSidecar.openPathSetting'), command(t('showLog'), 'agentSidecar.showOutput')));
    else if (state === 'failed' || state === 'stopped') all.push(banner('error', 'error', why, command(t('restart'), 'agentSidecar.restart'), command(t('showLog'), 'agentSidecar.showOutput')));
    else if (s.sidecar.capabilities && !s.sidecar.model) {
      all.push(banner('warning', 'warning', t('noModel'), command(t('setKey'), 'agentSidecar.setApiKey'), command(t('useLocalServer'), 'agentSidecar.useLocalServer'), command(t('chooseModel'), 'agentSidecar.selectModel')));
    }
    if (!s.sidecar.trusted) all.push(banner('info', 'shield', t('untrusted'), command(t('manageTrust'), 'agentSidecar.manageTrust')));
    if (s.locked) all.push(banner('info', 'eye', t('following'), button(t('continueFork'), () => w.fork(), { class: 'link' }), button(t('takeOver'), () => w.takeOver(), { class: 'link', disabled: s.locked.free === false })));
    if (s.interrupted && !s.running && !s.locked) all.push(banner('info', 'debug-pause', t('interrupted'), button(t('continueRun'), () => w.goOn(), { class: 'link' })));
    if (s.problem && s.problem !== message) all.push(banner('error', 'error', visibleLine(s.problem)));
    this.node.replaceChildren(...all);
  }
}

const banner = (kind: string, sign: string, text: string, ...rest: (HTMLElement | null)[]) =>
  el('div', { class: `banner ${kind}`, role: kind === 'error' ? 'alert' : 'status' }, icon(sign, sign === 'loading' || sign === 'sync' ? 'codicon-modifier-spin' : ''), el('div', null, el('span', null, text), ' ', rest));
