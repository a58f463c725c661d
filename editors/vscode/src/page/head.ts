// The head of the page and its banners: which session, what is special about it, what is
// in the way of working.
import type { SidecarView } from '../chat/messages';
import { visibleLine } from '../text/visible';
import { button, el, icon, iconButton } from './dom';
import { openMenu, type Choice } from './menu';
import type { Place } from './place';
import { t } from './strings';

export interface HeadState { title: string; fullAccess: boolean; listShown: boolean; place: Place | undefined }

export class Head {
  private readonly title = el('h1', { class: 'title' });
  private readonly badge = el('span', { class: 'badge bad', hidden: true, title: t('fullAccessHint') }, icon('unlock'), t('fullAccess'));
  private readonly place: HTMLButtonElement;
  private placed = '';
  readonly sessions: HTMLButtonElement;
  readonly node: HTMLElement;

  constructor(actions: { fresh(): void; sessions(): void; more(): Choice[]; workOn(): void }) {
    this.place = button('', actions.workOn, { class: 'badge place', hidden: true });
    this.sessions = iconButton('history', 'sessions', actions.sessions, { 'aria-pressed': 'false' });
    const more: HTMLButtonElement = iconButton('ellipsis', 'more', () => openMenu(more, t('more'), actions.more()), { 'aria-haspopup': 'menu', 'aria-expanded': 'false' });
    this.node = el('header', { class: 'head' }, this.title, this.place, this.badge, el('span', { class: 'grow' }), iconButton('add', 'newSession', actions.fresh), this.sessions, more);
  }

  show(s: HeadState): void {
    const title = visibleLine(s.title) || t('untitled');
    if (this.title.textContent !== title) {
      this.title.textContent = title;
      this.title.title = title;
    }
    this.badge.hidden = !s.fullAccess;
    this.showPlace(s.place);
    this.sessions.setAttribute('aria-pressed', String(s.listShown));
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
