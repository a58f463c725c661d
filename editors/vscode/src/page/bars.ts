// The small parts between the conversation and the prompt box: what the run does now, the
// plan, what waits, how full the context is.
import type { Context, QueueItem } from '../protocol';
import { visibleLine, visibleProse } from '../text/visible';
import { button, el, icon, iconButton } from './dom';
import type { Model, PlanItem } from './conversation/model';
import { t, word } from './strings';

/** why: shown whole, where it is said nowhere else. */
export interface Status { text: string; kind: 'busy' | 'waiting' | 'error' | 'none'; why?: string }

/** What the run does now, in words; nothing when nothing runs. */
export function statusOf(m: Model, questions: number, starting: boolean): Status {
  const run = m.root.run;
  const going = starting || (m.active !== undefined) || (run !== undefined && run.state !== 'finished' && run.state !== 'error');
  if (questions > 0 && going) return { text: t('waiting'), kind: 'waiting' };
  if (run?.state === 'error') {
    // The row of its end shows it, with what can be done about it; here it is said to those who do not see.
    const end = m.root.rows.findLast((r) => r.kind === 'end' || r.kind === 'prompt');
    if (end?.kind === 'end') return { text: t('failed', visibleLine(end.error?.message ?? end.message ?? run.detail ?? '')), kind: 'none' };
    return { text: t('failed', visibleLine(run.detail ?? '')), kind: 'error' };
  }
  if (!going) return { text: '', kind: 'none' };
  const writing = [...m.root.writing.values()].at(-1);
  if (writing) return { text: t('writing', visibleLine(writing.tool)), kind: 'busy' };
  switch (run?.state) {
    case 'thinking': return { text: t('thinking'), kind: 'busy' };
    case 'tool_calling': return { text: t('running', visibleLine(run.detail ?? '')), kind: 'busy' };
    case 'waiting_approval': return { text: t('waiting'), kind: 'waiting' };
    case 'retrying': {
      const again = run.inMs ? t('retrying', Math.ceil(run.inMs / 1000), run.attempt ?? 1) : t('retryingNow', run.attempt ?? 1);
      return { text: again, kind: 'busy', ...(run.detail && { why: visibleLine(run.detail) }) };
    }
    case 'compacting': return { text: t('compacting'), kind: 'busy' };
    case undefined: case 'finished': return { text: t('working'), kind: 'busy' };
    default: return { text: visibleLine(run!.state), kind: 'busy' };
  }
}

export class StatusLine {
  private readonly words = el('span', { class: 'status-words' });
  private readonly sign = el('span', { class: 'status-sign' });
  readonly node = el('div', { class: 'status', role: 'status', 'aria-live': 'polite' }, this.sign, this.words);
  private shown = '';

  show(s: Status): void {
    const text = s.why ? `${s.text}: ${s.why}` : s.text;
    const now = `${s.kind} ${text}`;
    if (now === this.shown) return; // said again it would be read again
    this.shown = now;
    this.node.className = `status ${s.kind}${s.why ? ' whole' : ''}`;
    this.words.textContent = text;
    this.sign.replaceChildren(...(s.kind === 'none' ? [] : [icon(s.kind === 'error' ? 'error' : s.kind === 'waiting' ? 'bell-dot' : 'loading', s.kind === 'busy' ? 'codicon-modifier-spin' : '')]));
  }
}

export function drawMeter(node: HTMLElement, c: Context | undefined): void {
  node.hidden = !c || !c.used;
  if (!c || !c.used) return;
  const percent = c.percent ?? (c.window ? (100 * c.used) / c.window : undefined);
  const label = c.window ? t('contextUsed', c.used.toLocaleString(), c.window.toLocaleString(), Math.round(percent ?? 0)) : t('contextUsedOnly', c.used.toLocaleString());
  if (node.title === label) return;
  node.title = label;
  node.setAttribute('aria-label', label);
  const bar = el('span', { class: 'meter-bar' }, el('span', { class: 'meter-fill' }));
  (bar.firstElementChild as HTMLElement).style.width = `${Math.min(100, percent ?? 0)}%`;
  node.classList.toggle('full', (percent ?? 0) >= 85);
  node.replaceChildren(...(percent === undefined ? [] : [bar]), el('span', null, percent === undefined ? short(c.used) : `${short(c.used)}/${short(c.window!)}`));
}

const short = (n: number) => (n < 1000 ? String(n) : n < 1e6 ? `${(n / 1000).toFixed(n < 10000 ? 1 : 0)}k` : `${(n / 1e6).toFixed(1)}M`);

const planIcons: Record<string, string> = { pending: 'circle-large-outline', in_progress: 'record', completed: 'pass-filled', cancelled: 'circle-slash' };

export class Plan {
  readonly node = el('section', { class: 'plan', 'aria-label': t('plan'), hidden: true });
  private open = true;
  private shown: PlanItem[] | undefined;
  private narrow = false;

  /** While a question needs the room only the head of the list is shown. */
  update(items: PlanItem[], narrow: boolean): void {
    if (items === this.shown && narrow === this.narrow) return;
    if (narrow !== this.narrow) this.open = !narrow;
    this.narrow = narrow;
    this.shown = items;
    this.draw();
  }

  private draw(): void {
    const items = this.shown ?? [];
    this.node.hidden = !items.length;
    const done = items.filter((i) => i.status === 'completed').length;
    const now = items.find((i) => i.status === 'in_progress');
    this.node.replaceChildren(
      el('button', { type: 'button', class: 'fold bar-head', 'aria-expanded': String(this.open), onclick: () => { this.open = !this.open; this.draw(); this.node.querySelector('button')?.focus(); } },
        icon(this.open ? 'chevron-down' : 'chevron-right'), el('span', { class: 'bar-title' }, t('plan')), el('span', { class: 'quiet' }, t('planDone', done, items.length)), !this.open && now ? el('span', { class: 'quiet bar-now' }, visibleLine(now.text)) : ''),
      ...(this.open ? [el('ul', { class: 'plain plan-items' }, items.map((i) => el('li', { class: `plan-item ${planIcons[i.status] ? i.status : ''}` }, icon(planIcons[i.status] ?? 'circle-outline'), el('span', { class: 'hidden-label' }, word('item', i.status)), el('span', null, visibleLine(i.text)))))] : []));
  }
}

export interface Queueing { remove(itemId: string): void; update(itemId: string, text: string): void; steer(item: QueueItem): void; leave(): void; readonly readOnly: boolean }

export class Queue {
  readonly node = el('section', { class: 'queue', 'aria-label': t('queued'), hidden: true });
  private shown: QueueItem[] | undefined;
  private editing: string | undefined;
  private typed: string | undefined; // into what is edited: others change the queue meanwhile

  constructor(private readonly queueing: Queueing) {}

  update(items: QueueItem[]): void {
    if (items === this.shown) return;
    this.shown = items;
    this.draw();
  }

  private draw(): void {
    const items = this.shown ?? [];
    const active = document.activeElement;
    const at = this.node.contains(active) ? [...this.node.querySelectorAll('.queued')].findIndex((q) => q.contains(active)) : -1;
    this.node.hidden = !items.length;
    this.node.replaceChildren(el('div', { class: 'bar-head' }, icon('clock'), el('span', { class: 'bar-title' }, t('queued')), el('span', { class: 'quiet' }, String(items.length))),
      el('ul', { class: 'plain' }, items.map((q) => this.item(q))));
    if (at < 0) return;
    // The focus stays where it was, or goes to what has come there.
    const parts = [...this.node.querySelectorAll('.queued')[Math.min(at, items.length - 1)]?.querySelectorAll<HTMLElement>('textarea, button') ?? []];
    const called = (name: string | null) => parts.find((p) => p.getAttribute('aria-label') === name);
    const part = called(active!.getAttribute('aria-label')) ?? called(t('editQueued'));
    if (part) part.focus();
    else this.queueing.leave();
  }

  private item(q: QueueItem): HTMLElement {
    const text = q.prompt.filter((b) => b.type === 'text').map((b) => b.text ?? '').join('\n');
    const pictures = q.prompt.filter((b) => b.type === 'image').length;
    if (this.editing === q.itemId) {
      const box = el('textarea', { class: 'reason', rows: '3', 'aria-label': t('editQueued') });
      box.value = this.typed ?? text;
      box.addEventListener('input', () => { this.typed = box.value; });
      const end = () => { this.editing = this.typed = undefined; this.draw(); };
      const save = () => { if (box.value.trim()) this.queueing.update(q.itemId, box.value.trim()); end(); };
      box.addEventListener('keydown', (e) => {
        if (e.defaultPrevented) return;
        if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) { e.preventDefault(); save(); }
        if (e.key === 'Escape') { e.preventDefault(); e.stopPropagation(); end(); }
      });
      return el('li', { class: 'queued' }, box, button(t('saveQueued'), save, { class: 'button small' }));
    }
    return el('li', { class: 'queued' }, el('span', { class: 'queued-text', title: visibleProse(text).slice(0, 1000) }, visibleLine(text) || t('picture')),
      pictures > 0 && el('span', { class: 'badge' }, pictures === 1 ? t('onePicture') : t('pictures', pictures)),
      !this.queueing.readOnly && [
        iconButton('arrow-up', 'steerQueued', () => this.queueing.steer(q)),
        iconButton('edit', 'editQueued', () => { this.editing = q.itemId; this.typed = undefined; this.draw(); this.node.querySelector('textarea')?.focus(); }),
        iconButton('close', 'removeQueued', () => this.queueing.remove(q.itemId)),
      ]);
  }
}
