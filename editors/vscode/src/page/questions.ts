// What the model asks the person, above the prompt box: each question with its answers to
// choose from, and room for one's own words. Nothing is chosen beforehand, and no card takes
// the focus. An answer is text for the model and allows nothing.
import type { QuestionAnswer, QuestionAsked } from '../protocol';
import { visible, visibleLine } from '../text/visible';
import { button, el, icon } from './dom';
import { t } from './strings';

export interface Answering {
  /** What went wrong, for a person; without answers the questions are closed. */
  answer(q: QuestionAsked, answers?: QuestionAnswer[]): Promise<string | undefined>;
  /** The last card has gone, and the focus was in it. */
  leave(): void;
  readonly readOnly: boolean;
}

interface Card { node: HTMLElement; readOnly: boolean }

export class Questions {
  readonly node = el('section', { class: 'approvals questions', 'aria-label': t('questions'), hidden: true });
  private cards = new Map<string, Card>();

  constructor(private readonly answering: Answering) {}

  update(asked: QuestionAsked[]): void {
    const ids = new Set(asked.map((q) => q.questionId));
    const focused = this.node.contains(document.activeElement);
    for (const [id, card] of this.cards) {
      if (ids.has(id)) continue;
      card.node.remove();
      this.cards.delete(id);
    }
    for (const q of asked) {
      const there = this.cards.get(q.questionId);
      if (there?.readOnly === this.answering.readOnly) continue;
      const node = this.draw(q);
      if (there) there.node.replaceWith(node);
      else this.node.append(node);
      this.cards.set(q.questionId, { node, readOnly: this.answering.readOnly });
    }
    this.node.hidden = asked.length === 0;
    if (focused && !this.node.contains(document.activeElement) && !this.focus()) this.answering.leave();
  }

  /** For a person who works with the keyboard: the first card. */
  focus(): boolean {
    const first = this.node.querySelector<HTMLElement>('.approval');
    first?.focus();
    return !!first;
  }

  private draw(asked: QuestionAsked): HTMLElement {
    const error = el('div', { class: 'approval-error', role: 'alert' });
    const forms = asked.questions.map((q, i) => drawQuestion(asked.questionId, q, i, this.answering.readOnly));
    const buttons = el('div', { class: 'approval-buttons' });
    const send = async (answers?: QuestionAnswer[]) => {
      if (answers?.every((a) => !a.choices.length && !a.text)) {
        error.textContent = t('answerOne');
        return;
      }
      if (buttons.contains(document.activeElement)) card.focus(); // what is disabled loses it
      for (const b of buttons.querySelectorAll('button')) b.disabled = true;
      const wrong = await this.answering.answer(asked, answers);
      if (wrong === undefined) return; // it goes when the sidecar says that it is answered
      error.textContent = wrong;
      for (const b of buttons.querySelectorAll('button')) b.disabled = false;
    };
    const answer = () => void send(forms.map((f) => f.read()));
    if (this.answering.readOnly) buttons.append(el('span', { class: 'quiet' }, t('answerElsewhere')));
    else {
      buttons.append(
        button(t('answer'), answer, { class: 'button', 'data-answer': 'send' }),
        button(t('dismiss'), () => void send(), { class: 'button secondary', 'data-answer': 'dismiss', title: t('dismissHint') }));
    }
    const card: HTMLElement = el('div', { class: 'approval question', role: 'group', tabindex: '-1', 'aria-label': t('asks', visibleLine(asked.questions[0]?.question ?? '')), 'data-question': asked.questionId,
      onkeydown: (e: KeyboardEvent) => {
        // Enter in a field sends, as in a form; on the card as a whole it answers nothing.
        if (e.key !== 'Enter' || e.isComposing || e.shiftKey || e.repeat || !(e.target instanceof HTMLInputElement)) return;
        e.preventDefault();
        answer();
      } }, forms.map((f) => f.node), buttons, error);
    return card;
  }
}

interface Form { node: HTMLElement; read(): QuestionAnswer }

function drawQuestion(id: string, q: QuestionAsked['questions'][number], i: number, readOnly: boolean): Form {
  const name = `${id}-${i}`;
  const words = el('input', { type: 'text', class: 'reason own-words', maxlength: '4000', placeholder: t(q.options.length ? 'ownWords' : 'yourAnswer'), 'aria-label': t(q.options.length ? 'ownWords' : 'yourAnswer'), disabled: readOnly });
  const boxes = q.options.map((o) => el('input', { type: q.multiple ? 'checkbox' : 'radio', name, disabled: readOnly, 'data-label': o.label }));
  const rows = q.options.map((o, n) => el('label', { class: 'option' }, boxes[n],
    el('span', null, el('span', null, visibleLine(o.label)), o.description ? el('span', { class: 'quiet' }, ` ${visibleLine(o.description)}`) : null)));
  const node = el('fieldset', { class: 'one-question' },
    el('legend', { class: 'approval-title' }, icon('comment-discussion'), el('span', null, q.header ? el('span', { class: 'badge' }, visibleLine(q.header)) : null, q.header ? ' ' : null, visible(q.question))),
    rows, words);
  return { node, read: () => {
    const text = words.value.trim();
    return { choices: q.options.filter((_, n) => boxes[n]!.checked).map((o) => o.label), ...(text ? { text } : {}) };
  } };
}
