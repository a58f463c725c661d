// `@name` and `/command` in the prompt box: what stands behind the @ is looked for by the
// editor, commands are the sidecar's, the list is operated from the box.
import type { Attached, Mention as Found } from '../chat/messages';
import type { ContentBlock } from '../protocol';
import { visible } from '../text/visible';
import { el, icon } from './dom';
import { commandAt, commandsOf } from './slash';
import { t, word } from './strings';

/** The mention at the cursor: where its @ stands and what follows it. */
export function mentionAt(text: string, cursor: number): { at: number; query: string } | undefined {
  const m = /(?:^|[\s(])@([^\s@]*)$/.exec(text.slice(0, cursor));
  return m ? { at: cursor - m[1].length - 1, query: m[1] } : undefined;
}

/** What is put into the text, or what goes with the prompt instead. */
interface Offer { put?: string; blocks?: () => Promise<ContentBlock[]>; name: string; hint: string; icon: string }

const pathOffer = (path: string, sign: 'file' | 'folder'): Offer => {
  const slash = path.lastIndexOf('/', path.length - 2) + 1;
  return { put: `@${path} `, name: path.slice(slash), hint: path.slice(0, slash), icon: sign };
};

const icons: Record<Attached, string> = { problems: 'warning', changes: 'diff', terminal: 'terminal' };

export interface Finding {
  find(query: string): Promise<unknown>;
  attach(what: Attached): Promise<unknown>;
  commands(): Promise<unknown>;
  /** Goes with the prompt. */
  add(blocks: ContentBlock[]): void;
  say(problem: string): void;
}

export class Mention {
  readonly list = el('div', { class: 'mentions', id: 'mentions', role: 'listbox', 'aria-label': t('files'), hidden: true });
  private offers: Offer[] = [];
  private chosen = 0;
  private asked = 0;

  constructor(private readonly box: HTMLTextAreaElement, private readonly finding: Finding) {
    box.setAttribute('aria-autocomplete', 'list');
    box.setAttribute('aria-controls', 'mentions');
    box.addEventListener('blur', () => this.close());
  }

  get isOpen(): boolean { return !this.list.hidden; }

  /** The text or the cursor has moved. */
  async look(): Promise<void> {
    const asked = ++this.asked;
    const found = this.found();
    if (!found) return this.close();
    const offers = await (found.command ? this.commandsLike(found.query) : this.filesLike(found.query)).catch(() => []);
    if (asked !== this.asked || document.activeElement !== this.box) return; // something newer was typed
    if (found.command && !offers.length) return this.close();
    this.offers = offers.slice(0, 50);
    this.chosen = 0;
    this.draw();
  }

  /** What is written at the cursor: where it begins, and what stands behind its first sign. */
  private found(): { at: number; query: string; command: boolean } | undefined {
    const { value, selectionStart, selectionEnd } = this.box;
    if (selectionStart !== selectionEnd) return undefined;
    const name = commandAt(value, selectionStart);
    if (name !== undefined) return { at: 0, query: name, command: true };
    const file = mentionAt(value, selectionStart);
    return file && { ...file, command: false };
  }

  private async filesLike(query: string): Promise<Offer[]> {
    const answer = await this.finding.find(query);
    return (Array.isArray(answer) ? (answer as Found[]) : []).map((f) => this.offerOf(f));
  }

  private offerOf(f: Found): Offer {
    switch (f.kind) {
      case 'file': case 'folder': return pathOffer(f.path, f.kind);
      case 'symbol': return { blocks: async () => [{ type: 'resource_link', uri: f.uri, range: f.range }], name: f.name, hint: f.path, icon: 'symbol-method' };
      default: return { blocks: async () => (await this.finding.attach(f.kind)) as ContentBlock[], name: word('mention', f.kind), hint: `@${f.kind}`, icon: icons[f.kind] };
    }
  }

  private async commandsLike(query: string): Promise<Offer[]> {
    return commandsOf(await this.finding.commands(), query).map((c) => ({ put: `/${c.name} `, name: `/${c.name}`, hint: c.description, icon: 'terminal' }));
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
    else if (!this.offers.length) return false;
    else if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      this.chosen = (this.chosen + (e.key === 'ArrowDown' ? 1 : -1) + this.offers.length) % this.offers.length;
      this.draw();
    } else if ((e.key === 'Enter' && !e.shiftKey) || e.key === 'Tab') this.choose(this.chosen);
    else return false;
    e.preventDefault();
    return true;
  }

  private choose(i: number): void {
    const found = this.found();
    const { put = '', blocks } = this.offers[i];
    if (found) this.box.setRangeText(put, found.at, this.box.selectionStart, 'end');
    if (blocks) void blocks().then((b) => this.finding.add(b), (e: Error) => this.finding.say(e.message));
    this.close();
    this.box.dispatchEvent(new Event('input'));
  }

  private draw(): void {
    this.list.replaceChildren(...(this.offers.length ? this.offers.map((o, i) => this.option(o, i)) : [el('div', { class: 'mention quiet', role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false' }, t('noFiles'))]));
    this.list.hidden = false;
    if (this.offers.length) {
      this.box.setAttribute('aria-activedescendant', `mention-${this.chosen}`);
      this.list.children[this.chosen]?.scrollIntoView({ block: 'nearest' });
    } else this.box.removeAttribute('aria-activedescendant');
  }

  private option(offer: Offer, i: number): HTMLElement {
    return el('div', { class: 'mention', id: `mention-${i}`, role: 'option', 'aria-selected': String(i === this.chosen), onpointerdown: (e: PointerEvent) => { e.preventDefault(); this.choose(i); } },
      icon(offer.icon), el('span', { class: 'mention-name' }, visible(offer.name)), el('span', { class: 'quiet path' }, visible(offer.hint)));
  }
}
