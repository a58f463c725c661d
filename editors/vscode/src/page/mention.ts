// `@file` in the prompt box: what stands behind the @ is looked for by the editor, the
// list is operated from the box.
import { visible } from '../text/visible';
import { el, icon } from './dom';
import { t } from './strings';

/** The mention at the cursor: where its @ stands and what follows it. */
export function mentionAt(text: string, cursor: number): { at: number; query: string } | undefined {
  const m = /(?:^|[\s(])@([^\s@]*)$/.exec(text.slice(0, cursor));
  return m ? { at: cursor - m[1].length - 1, query: m[1] } : undefined;
}

export class Mention {
  readonly list = el('div', { class: 'mentions', id: 'mentions', role: 'listbox', 'aria-label': t('files'), hidden: true });
  private paths: string[] = [];
  private chosen = 0;
  private asked = 0;

  constructor(private readonly box: HTMLTextAreaElement, private readonly find: (query: string) => Promise<unknown>) {
    box.setAttribute('aria-autocomplete', 'list');
    box.setAttribute('aria-controls', 'mentions');
    box.addEventListener('blur', () => this.close());
  }

  get isOpen(): boolean { return !this.list.hidden; }

  /** The text or the cursor has moved. */
  async look(): Promise<void> {
    const found = this.box.selectionStart === this.box.selectionEnd ? mentionAt(this.box.value, this.box.selectionStart) : undefined;
    const asked = ++this.asked;
    if (!found) return this.close();
    const answer = await this.find(found.query).catch(() => []);
    if (asked !== this.asked || document.activeElement !== this.box) return; // something newer was typed
    this.paths = (Array.isArray(answer) ? answer : []).filter((p): p is string => typeof p === 'string').slice(0, 50);
    this.chosen = 0;
    this.draw();
  }

  close(): void {
    this.asked++;
    this.list.hidden = true;
    this.box.removeAttribute('aria-activedescendant');
  }

  /** Whether the key was for the list. */
  key(e: KeyboardEvent): boolean {
    if (!this.isOpen) return false;
    if (e.key === 'Escape') this.close();
    else if (!this.paths.length) return false;
    else if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      this.chosen = (this.chosen + (e.key === 'ArrowDown' ? 1 : -1) + this.paths.length) % this.paths.length;
      this.draw();
    } else if ((e.key === 'Enter' && !e.shiftKey) || e.key === 'Tab') this.choose(this.chosen);
    else return false;
    e.preventDefault();
    return true;
  }

  private choose(i: number): void {
    const found = mentionAt(this.box.value, this.box.selectionStart);
    if (found) this.box.setRangeText(`@${this.paths[i]} `, found.at, this.box.selectionStart, 'end');
    this.close();
    this.box.dispatchEvent(new Event('input'));
  }

  private draw(): void {
    this.list.replaceChildren(...(this.paths.length ? this.paths.map((p, i) => this.option(p, i)) : [el('div', { class: 'mention quiet', role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false' }, t('noFiles'))]));
    this.list.hidden = false;
    if (this.paths.length) {
      this.box.setAttribute('aria-activedescendant', `mention-${this.chosen}`);
      this.list.children[this.chosen]?.scrollIntoView({ block: 'nearest' });
    } else this.box.removeAttribute('aria-activedescendant');
  }

  private option(path: string, i: number): HTMLElement {
    const slash = path.lastIndexOf('/') + 1;
    return el('div', { class: 'mention', id: `mention-${i}`, role: 'option', 'aria-selected': String(i === this.chosen), onpointerdown: (e: PointerEvent) => { e.preventDefault(); this.choose(i); } },
      icon('file'), el('span', { class: 'mention-name' }, visible(path.slice(slash))), el('span', { class: 'quiet path' }, visible(path.slice(0, slash))));
  }
}
