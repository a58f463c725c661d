// The questions that wait for a person, above the prompt box. Each offers exactly the
// answers that the sidecar says it takes; nothing is chosen beforehand, and Enter alone
// answers nothing. A yes counts only for what has stood still before the person, whole:
// a click that was meant for something else, or a key that is held down, gives none.
import type { Approval, Requests } from '../protocol';
import { plainName, plainRule } from '../text/plainname';
import { visible, visibleLine } from '../text/visible';
import { CardKeys } from './cardkeys';
import { button, el, icon } from './dom';
import { openMenu } from './menu';
import { drawPlan } from './plancard';
import { drawDiff, drawText, isFolded } from './rows/diff';
import { t, word } from './strings';
import { drawVerdicts, onlyCommand, scriptOf } from './verdicts';

type Answer = Omit<Requests['agent/approve']['params'], 'approvalId' | 'digest'>;

export interface Asking {
  answer(a: Approval, answer: Answer): Promise<string | undefined>; // what went wrong, for a person
  review(a: Approval): void;
  /** Yes to it as it was changed in its review; what went wrong, for a person. */
  accept(a: Approval): Promise<string | undefined>;
  /** The last question has gone, and the focus was in it. */
  leave(): void;
  readonly readOnly: boolean;
}

interface Card { node: HTMLElement; digest: string; readOnly: boolean; edited: boolean; enter(): void }

/** How long a question must have stood where it is before a yes to it counts: longer than a double click. */
const stillMs = 600;
/** Risks that the title says. */
const usual = new Set(['read', 'write', 'execute']);
const foldedLines = 14;
const commandLines = 6; // what is decided about each of its commands stands below them

export class Approvals {
  readonly node = el('section', { class: 'approvals', 'aria-label': t('approvals'), hidden: true });
  private cards = new Map<string, Card>();
  private open: Approval[] = [];
  private edited: readonly string[] = []; // ids
  private moved: ReturnType<typeof setTimeout> | undefined;
  private readonly sizes = new ResizeObserver(() => this.move());
  private readonly keys = new CardKeys(this.node, {
    still: () => this.moved === undefined,
    enter: (id) => this.cards.get(id)?.enter(),
    returned: () => this.move(),
  });

  constructor(private readonly asking: Asking) {
    // A held key presses a button again and again, also one that has just come under it.
    this.node.addEventListener('keydown', (e) => { if (e.repeat && (e.key === 'Enter' || e.key === ' ') && (e.target as HTMLElement).closest('button')) e.preventDefault(); }, true);
    document.addEventListener('visibilitychange', () => this.move());
  }

  /** Something stands elsewhere now: what a hand was on its way to may be another button. */
  private move(): void {
    clearTimeout(this.moved);
    for (const b of this.yeses()) b.setAttribute('aria-disabled', 'true');
    this.moved = setTimeout(() => {
      this.moved = undefined;
      for (const b of this.yeses()) b.removeAttribute('aria-disabled');
    }, stillMs);
  }

  /** Whether a press was meant for what it has reached. A key reaches what has the focus, and that nothing takes but a person. */
  private meant(e: MouseEvent): boolean {
    return this.moved === undefined || (e.detail === 0 && e.currentTarget === document.activeElement);
  }

  private yeses() { return this.node.querySelectorAll<HTMLElement>('[data-decision="once"], [data-decision="session"], [data-decision="always"]'); }

  /** What the person has written in a review is theirs: from then on a yes is to that. */
  changedInReview(approvalIds: readonly string[]): void {
    this.edited = approvalIds;
    this.update(this.open);
  }

  update(open: Approval[]): void {
    this.open = open;
    const ids = new Set(open.map((a) => a.approvalId));
    const focused = this.node.contains(document.activeElement);
    let changed = false;
    for (const [id, card] of this.cards) {
      if (ids.has(id)) continue;
      card.node.remove();
      this.cards.delete(id);
      changed = true;
    }
    for (const a of open) {
      const there = this.cards.get(a.approvalId);
      const mine = this.edited.includes(a.approvalId);
      if (there && there.digest === a.digest && there.readOnly === this.asking.readOnly && there.edited === mine) continue;
      const { node, enter } = this.draw(a, mine);
      if (there) there.node.replaceWith(node);
      else this.node.append(node);
      this.cards.set(a.approvalId, { node, enter, digest: a.digest, readOnly: this.asking.readOnly, edited: mine });
      changed = true;
    }
    this.node.hidden = open.length === 0;
    if (!changed) return;
    this.move();
    // To a question as a whole, where no key answers anything; never to the prompt, where the next one would send what stands there.
    if (focused && !this.node.contains(document.activeElement) && !this.keys.unmoved(() => this.place())) this.asking.leave();
    // What stands above and below it moves it too.
    this.sizes.observe(this.node);
    if (this.node.parentElement) this.sizes.observe(this.node.parentElement);
  }

  /** For a person who works with the keyboard: the first question. */
  focus(): boolean {
    const there = this.place();
    if (there) this.keys.asked();
    return there;
  }

  private place(): boolean {
    const first = this.node.querySelector<HTMLElement>('.approval');
    first?.focus();
    return !!first;
  }

  private draw(a: Approval, edited: boolean): { node: HTMLElement; enter(): void } {
    if (a.domain === 'plan') {
      const { node, buttons } = drawPlan(a, {
        readOnly: this.asking.readOnly, meant: (e) => this.meant(e), review: () => this.asking.review(a),
        send: (answer) => this.asking.answer(a, answer),
      });
      numbered(buttons);
      return { node, enter: () => {} }; // a plan is accepted with its own key
    }
    const error = el('div', { class: 'approval-error', role: 'alert' });
    const title = el('div', { class: 'approval-title', id: `title-${a.approvalId}` }, icon(a.domain === 'config' ? 'shield' : 'question'), el('span', null, titleOf(a)));
    const buttons = el('div', { class: 'approval-buttons' });
    const preview = el('div');
    let open = false;
    let looked = !cutShort(a);
    let unfolded = -stillMs; // when a press that came too early has shown the rest
    const show = () => preview.replaceChildren(...this.preview(a, open, () => { open = !open; looked ||= open && !a.preview?.artifactId; show(); preview.querySelector<HTMLElement>('.show-all')?.focus(); }));
    show();
    const review = () => { looked = true; this.asking.review(a); };
    const send = async (answer: Answer | 'edited') => {
      if (buttons.contains(document.activeElement)) card.focus(); // what is disabled loses it
      for (const b of buttons.querySelectorAll('button')) b.disabled = true;
      const wrong = await (answer === 'edited' ? this.asking.accept(a) : this.asking.answer(a, answer));
      if (wrong === undefined) return; // it goes when the sidecar says that it is resolved
      error.textContent = wrong;
      for (const b of buttons.querySelectorAll('button')) b.disabled = false;
    };
    /** The answer of a button that says yes; of a part nobody says it to the whole. */
    const allow = (answer: Answer) => {
      if (looked) return performance.now() - unfolded < stillMs ? undefined : void send(answer);
      looked = true;
      unfolded = performance.now();
      error.textContent = t('lookFirst');
      if (a.preview?.artifactId) return review();
      open = true;
      show();
      this.move();
    };
    const reason = el('textarea', { class: 'reason', rows: '2', placeholder: t('rejectReason'), 'aria-label': t('rejectReason'), maxlength: '4000', onkeydown: (e: KeyboardEvent) => {
      if (e.defaultPrevented) return;
      if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) { e.preventDefault(); reject(); }
      if (e.key === 'Escape') { e.preventDefault(); e.stopPropagation(); rejecting.hidden = true; buttons.hidden = false; buttons.querySelector<HTMLElement>('.reject')?.focus(); }
    } });
    const feedback = () => (reason.value.trim() ? { feedback: reason.value.trim() } : {});
    const reject = () => void send({ decision: 'reject', ...feedback() });
    const rejecting = el('div', { class: 'rejecting', hidden: true }, reason, el('div', { class: 'approval-buttons' },
      button(t('reject'), reject, { class: 'button' }),
      a.runId ? button(t('rejectStop'), () => void send({ decision: 'reject', interrupt: true, ...feedback() }), { class: 'button secondary' }) : null));
    if (!this.asking.readOnly) {
      // What they have written is the person's own: it needs no second look, and no other yes is to it.
      if (edited) buttons.append(button(t('acceptEdited'), (e) => this.meant(e) && void send('edited'), { class: 'button', 'data-decision': 'once' }));
      for (const d of a.decisions.filter((one) => !edited || one === 'reject')) {
        if (d === 'once') buttons.append(button(said(a, d) ?? t('once'), (e) => this.meant(e) && allow({ decision: 'once' }), { class: 'button', 'data-decision': d }));
        else if (d === 'session') buttons.append(button(said(a, d) ?? t('session'), (e) => this.meant(e) && allow({ decision: 'session' }), { class: 'button secondary', 'data-decision': d }));
        else if (d === 'always') buttons.append(...this.always(a, allow));
        else if (d === 'reject') buttons.append(button(said(a, d) ?? t('reject'), () => {
          if (a.domain === 'config' || a.callId === '') return reject();
          buttons.hidden = true;
          rejecting.hidden = false;
          reason.focus();
        }, { class: 'button secondary reject', 'data-decision': d }));
      }
    } else buttons.append(el('span', { class: 'quiet' }, t('answerElsewhere')));
    if (a.preview?.kind === 'diff' || a.preview?.artifactId) buttons.append(button(t(a.preview.kind === 'diff' ? 'reviewDiff' : 'previewCut'), review, { class: 'link review', 'data-decision': 'review' }));
    numbered(buttons);
    // Of several the menu shows each.
    const rules = a.decisions.includes('always') && !edited && !this.asking.readOnly && a.always.length === 1 ? a.always.map((r) => ruleLine(a, r)) : [];
    /** Enter: the first answer, where it is a yes to this call alone and all that it is about was in sight. */
    const enter = () => {
      const first = buttons.hidden ? null : buttons.querySelector<HTMLButtonElement>(':scope > button');
      if (!first || first.disabled || first.dataset.decision !== 'once') return;
      if (edited || (looked && !onward(preview, buttons, this.node))) return first.click();
      if (!looked) allow({ decision: 'once' });
      else error.textContent = t('readOn');
    };
    const card = el('div', { class: `approval risk-${/^[a-z]+$/.test(a.risk) ? a.risk : 'other'}`, role: 'group', tabindex: '-1', 'aria-labelledby': `title-${a.approvalId}`, 'data-approval': a.approvalId },
      title,
      el('div', { class: 'approval-facts' }, a.runner ? el('span', { class: 'badge runner' }, icon('remote'), t('placeAway', visibleLine(a.runner))) : null, usual.has(a.risk) ? null : el('span', { class: 'badge risk' }, word('risk', a.risk)),
        a.agentPath?.length ? el('span', { class: 'badge' }, t('byAgent', visible(a.agentPath.join(' › ')))) : null,
        el('span', { class: 'quiet' }, visible(a.reason))),
      edited ? el('div', { class: 'quiet', role: 'status' }, icon('edit'), ' ', t('editedInReview')) : null,
      preview, buttons, rules, rejecting, error);
    return { node: card, enter };
  }

  private preview(a: Approval, open: boolean, toggle: () => void): HTMLElement[] {
    if (a.preview?.kind === 'diff') return [drawDiff(a.preview.text, { lines: foldedLines, open, toggle })];
    if (a.preview?.text) return [drawText(visible(scriptOf(a)), { lines: linesOf(a), open, toggle }, visibleLine(a.title)), ...drawVerdicts(a)];
    if (a.targets?.length > 1 || a.targets?.length && a.title.endsWith('…')) return [drawText(named(a).join('\n'), { lines: 8, open, toggle }, t('targets'))];
    return [];
  }

  /** One rule: a button. Several: a menu of their texts, and nothing is stored before one is chosen. */
  private always(a: Approval, allow: (answer: Answer) => void): HTMLElement[] {
    if (a.always.length <= 1) {
      return [button(said(a, 'always') ?? t('always'), (e) => this.meant(e) && allow({ decision: 'always', ...(a.always[0] && { always: a.always[0].id }) }), { class: 'button secondary', 'data-decision': 'always', title: a.always[0] ? visibleLine(a.always[0].label || a.always[0].pattern) : undefined })];
    }
    const b: HTMLButtonElement = button(said(a, 'always') ?? t('alwaysOf'), (e) => this.meant(e) && openMenu(b, t('chooseRule'), a.always.map((r) => ({
      label: visible(plainRule(a.domain, r.pattern)), hint: visibleLine(r.label), icon: 'law', run: () => allow({ decision: 'always', always: r.id }),
    }))), { class: 'button secondary', 'data-decision': 'always', 'aria-haspopup': 'menu', 'aria-expanded': 'false' });
    b.append(icon('chevron-up'));
    return [b];
  }
}

/** The sidecar's own word for an answer, where the usual one would mislead. */
function said(a: Approval, decision: string): string | undefined {
  const label = a.labels && Object.hasOwn(a.labels, decision) ? visibleLine(a.labels[decision]) : '';
  return label || undefined;
}

/** A command stands below, letter by letter, and not in the title as well. */
const titleOf = (a: Approval) => (a.preview?.verdicts?.length && a.risk === 'execute' ? word('risk', a.risk) : visibleLine(a.title));

const linesOf = (a: Approval) => (a.preview?.verdicts?.length ? commandLines : foldedLines);

/** What a lasting yes would store. */
function ruleLine(a: Approval, r: Approval['always'][number]): HTMLElement {
  const exactly = r.pattern !== '' && r.pattern === onlyCommand(a);
  return el('div', { class: 'quiet small rule' }, exactly ? t('ruleExactly') : [t('ruleStored', ''), el('code', null, visible(plainRule(a.domain, r.pattern)))], t(r.workspace ? 'ruleHere' : 'ruleEverywhere'));
}

/** Gives each button its key. */
function numbered(buttons: HTMLElement): void {
  for (const [i, b] of [...buttons.querySelectorAll(':scope > button')].entries()) {
    if (i > 8) return;
    b.setAttribute('aria-keyshortcuts', String(i + 1));
    b.append(el('kbd', { 'aria-hidden': 'true' }, String(i + 1)));
  }
}

/** Shows more of what is asked about, where its end was not in sight yet. */
function onward(preview: HTMLElement, buttons: HTMLElement, list: HTMLElement): boolean {
  const text = preview.querySelector<HTMLElement>('pre');
  const inText = text ? text.scrollHeight - text.scrollTop - text.clientHeight : 0;
  if (inText > 2) text!.scrollTop += Math.max(20, text!.clientHeight - 20);
  const below = preview.getBoundingClientRect().bottom - buttons.getBoundingClientRect().top; // which stay in sight
  if (below > 2) list.scrollTop += Math.min(below, Math.max(20, list.clientHeight - 60));
  return inText > 2 || below > 2;
}

/** What is touched, one a line. */
const named = (a: Approval) => (a.targets ?? []).map((o) => visible(plainName(o)));

/** Whether the card shows a part only of what is asked about. */
function cutShort(a: Approval): boolean {
  if (a.preview?.artifactId) return true;
  const text = a.preview?.text;
  if (a.preview?.kind === 'diff') return isFolded('diff', text ?? '', foldedLines);
  return text ? isFolded('text', visible(scriptOf(a)), linesOf(a)) : isFolded('text', named(a).join('\n'), 8);
}
