// A plan that the agent hands over: shown as it will be read, changed by the person if they
// like, accepted in one of two modes, or sent back with words.
import type { Approval, Requests } from '../protocol';
import { visible, visibleLine } from '../text/visible';
import { button, el, icon, mount } from './dom';
import { prose } from './markdown/render';
import { t } from './strings';

type Answer = Omit<Requests['agent/approve']['params'], 'approvalId' | 'digest'>;

export interface PlanAnswering {
  readOnly: boolean;
  /** Whether a press was meant for what it has reached. */
  meant(e: MouseEvent): boolean;
  /** Undefined, or what went wrong, for a person. */
  send(answer: Answer): Promise<string | undefined>;
  review(): void;
}

export function drawPlan(a: Approval, answering: PlanAnswering): { node: HTMLElement; buttons: HTMLElement } {
  const text = a.preview?.text ?? '';
  const whole = !a.preview?.artifactId;
  const codes = { draw: ({ text: code }: { text: string }) => el('code', null, visible(code)), redraw: () => {} };
  const read = el('div', { class: 'plan-text markdown', tabindex: '0', role: 'document', 'aria-label': t('planText') }, mount(prose(text), codes));
  const edit = el('textarea', { class: 'reason plan-edit', rows: '12', 'aria-label': t('planText'), hidden: true });
  edit.value = text;
  const error = el('div', { class: 'approval-error', role: 'alert' });
  const buttons = el('div', { class: 'approval-buttons' });
  const send = async (answer: Answer) => {
    if (buttons.contains(document.activeElement)) card.focus(); // what is disabled loses it
    for (const b of card.querySelectorAll('button')) b.disabled = true;
    error.textContent = (await answering.send(answer)) ?? '';
    if (error.textContent) for (const b of card.querySelectorAll('button')) b.disabled = false;
  };
  const accept = (mode: 'ask' | 'agent') => {
    const changed = edit.value.trim();
    if (changed === '') {
      error.textContent = t('planEmpty');
      return;
    }
    void send({ decision: 'once', mode, ...(changed !== text.trim() && { editedInput: { plan: changed } }) });
  };
  const reason = el('textarea', { class: 'reason', rows: '2', placeholder: t('planChanges'), 'aria-label': t('planChanges'), maxlength: '4000', onkeydown: (e: KeyboardEvent) => {
    if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) { e.preventDefault(); reject(); }
    if (e.key === 'Escape') { e.preventDefault(); e.stopPropagation(); rejecting.hidden = true; buttons.hidden = false; buttons.querySelector<HTMLElement>('.reject')?.focus(); }
  } });
  const reject = () => void send({ decision: 'reject', ...(reason.value.trim() && { feedback: reason.value.trim() }) });
  const rejecting = el('div', { class: 'rejecting', hidden: true }, reason, el('div', { class: 'approval-buttons' }, button(t('planSendBack'), reject, { class: 'button' })));
  if (answering.readOnly) buttons.append(el('span', { class: 'quiet' }, t('answerElsewhere')));
  else {
    buttons.append(
      button(t('planAccept'), (e) => answering.meant(e) && accept('agent'), { class: 'button', 'data-decision': 'once', title: t('mode_hint_edit') }),
      button(t('planAcceptAsk'), (e) => answering.meant(e) && accept('ask'), { class: 'button secondary', 'data-decision': 'once', 'data-mode': 'ask', title: t('mode_hint_ask') }),
      button(t('planKeep'), () => { buttons.hidden = true; rejecting.hidden = false; reason.focus(); }, { class: 'button secondary reject', 'data-decision': 'reject' }));
    if (a.editable && whole) {
      const toggle = button(t('planEdit'), () => {
        edit.hidden = !edit.hidden;
        read.hidden = !edit.hidden;
        toggle.firstChild!.textContent = t(edit.hidden ? 'planEdit' : 'planShow');
        if (edit.hidden) read.replaceChildren(...mount(prose(edit.value), codes));
        else edit.focus();
      }, { class: 'link', 'data-part': 'edit' });
      buttons.append(toggle);
    }
  }
  if (!whole) buttons.append(button(t('previewCut'), () => answering.review(), { class: 'link review', 'data-decision': 'review' }));
  const card: HTMLElement = el('div', { class: 'approval plan-card', role: 'group', tabindex: '-1', 'aria-labelledby': `title-${a.approvalId}`, 'data-approval': a.approvalId },
    el('div', { class: 'approval-title', id: `title-${a.approvalId}` }, icon('checklist'), el('span', null, visibleLine(a.title))),
    read, edit, buttons, rejecting, error);
  return { node: card, buttons };
}
