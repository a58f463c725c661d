// The prompt box: text with mentions, where the person is, pictures, and below it mode
// and model.
import type { Whereabouts } from '../chat/messages';
import type { ModeName } from '../modes';
import type { ContentBlock } from '../protocol';
import { visible } from '../text/visible';
import { button, el, icon, iconButton } from './dom';
import { Mention, type Finding } from './mention';
import { menuButton, type Choice } from './menu';
import { dataUrl, imagesOf, most, pictureOf, Unfit, type Picture } from './pictures';
import { linked, longText } from './places';
import { Sight, type Seen } from './sight';
import { t, word } from './strings';

export interface Prompt { blocks: ContentBlock[]; whereabouts: Whereabouts | undefined; delivery: 'auto' | 'steer' }

export interface Sending {
  /** True when the prompt was taken: only then the box is emptied. */
  send(prompt: Prompt): Promise<boolean>;
  stop(): void;
  /** What is named with `@` and `/`. */
  finding: Pick<Finding, 'find' | 'attach' | 'commands'>;
  modes(): Choice[];
  models(): Choice[];
  cancelEdit(): void;
  /** The prompt that was sent last, in this session. */
  last(): ContentBlock[] | undefined;
  drafted(text: string): void;
  /** What is known of a model that images would go to, and the way to another one. */
  sees(model: string): Promise<Seen>;
  chooseModel(): void;
  /** A picture of the log, once it is read. */
  picture(uri: string): string | undefined;
}

/** One that goes with the prompt: new, or one of the log that is sent again by its name there. */
type Attached = Picture | { uri: string; mimeType: string };

const icons: Record<ModeName, string> = { ask: 'shield', edit: 'edit', plan: 'checklist', full_access: 'unlock' };

export class Composer {
  readonly node: HTMLElement;
  readonly box: HTMLTextAreaElement;
  private readonly mention: Mention;
  private readonly chips = el('div', { class: 'chips' });
  private readonly problem = el('div', { class: 'problem', role: 'alert' });
  private readonly editing = el('div', { class: 'editing', hidden: true });
  private readonly mode: HTMLButtonElement;
  private readonly model: HTMLButtonElement;
  private readonly sendButton: HTMLButtonElement;
  private readonly stopButton: HTMLButtonElement;
  readonly meter = el('span', { class: 'meter', role: 'img', hidden: true });
  private where: Whereabouts | null = null;
  private withWhere = true;
  private pictures: Attached[] = [];
  private links: ContentBlock[] = []; // places that were handed over, and long texts of a prompt that is sent again
  private readonly sight: Sight;
  private asks = ''; // the model that would be asked
  private running = false;
  private disabled = false;
  private sending = false;

  constructor(private readonly sending_: Sending) {
    this.box = el('textarea', { class: 'box', rows: '1', 'aria-label': t('prompt'), placeholder: t('promptPlaceholder') });
    this.sight = new Sight({ ask: (model) => sending_.sees(model), chooseModel: () => sending_.chooseModel(), leave: () => this.box.focus() });
    this.mention = new Mention(this.box, { ...sending_.finding, add: (blocks) => this.add(blocks), say: (problem) => this.say(problem) });
    this.mode = menuButton(t('mode'), () => sending_.modes(), 'mode');
    this.model = menuButton(t('model'), () => sending_.models(), 'model-picker');
    this.sendButton = iconButton('send', 'send', () => void this.send('auto'), { class: 'icon-button send' });
    this.stopButton = iconButton('debug-stop', 'stop', () => sending_.stop(), { class: 'icon-button stop', hidden: true });
    const file = el('input', { type: 'file', accept: 'image/png,image/jpeg,image/gif,image/webp', multiple: true, hidden: true, 'aria-label': t('attach'), onchange: () => { void this.attach([...file.files!]); file.value = ''; } });
    const frame = el('div', { class: 'frame' }, this.editing, this.chips, this.mention.list, this.box, this.sight.node, this.problem,
      el('div', { class: 'tools' }, el('div', { class: 'pickers' }, this.mode, this.model),
        el('div', { class: 'sends' }, this.meter, file, iconButton('file-media', 'attach', () => file.click()), this.stopButton, this.sendButton)));
    this.node = el('div', { class: 'composer' }, frame);
    window.addEventListener('resize', () => this.grow()); // lines break elsewhere now
    this.box.addEventListener('input', () => { this.grow(); this.buttons(); this.sending_.drafted(this.box.value); void this.mention.look(); });
    this.box.addEventListener('click', () => void this.mention.look());
    this.box.addEventListener('keydown', (e) => this.key(e));
    this.box.addEventListener('paste', (e) => {
      const images = imagesOf(e.clipboardData);
      if (!images.length) return;
      e.preventDefault();
      void this.attach(images);
    });
    this.drops(frame);
    this.buttons();
  }

  get text(): string { return this.box.value; }
  get blockCount(): number { return this.pictures.length; }

  focus(): void { this.box.focus(); }

  whereabouts(where: Whereabouts | null): void {
    if (where?.path !== this.where?.path) this.withWhere = true;
    this.where = where;
    this.drawChips();
  }

  /** Puts a text in the box, and what goes with it. */
  fill(text: string, blocks: ContentBlock[] = []): void {
    this.box.value = text;
    this.pictures = blocks.filter((b) => b.type === 'image').map((b) => (b.data ? { data: b.data, mimeType: b.mimeType ?? '', bytes: 0 } : { uri: b.uri ?? '', mimeType: b.mimeType ?? '' }));
    this.sight.look(false, ''); // what was said of others counts no more
    this.sight.anyway = blocks.some((b) => b.type === 'image' && b.anyway);
    this.links = blocks.filter((b) => (b.type === 'resource_link' && b.uri) || (b.type === 'artifact' && b.artifactId));
    this.drawChips();
    this.grow();
    this.buttons();
    this.sending_.drafted(text);
  }

  /** Puts a prompt of the log back into the box. */
  refill(blocks: ContentBlock[]): void {
    this.fill(blocks.filter((b) => b.type === 'text').map((b) => b.text ?? '').join('\n\n'), blocks);
  }

  /** Puts places below what is there. */
  add(blocks: ContentBlock[]): void {
    const key = (b: ContentBlock) => JSON.stringify([b.uri, b.range, b.mimeType]);
    const places = blocks.filter((b) => b.type === 'resource_link');
    this.links = [...this.links.filter((l) => !places.some((b) => key(l) === key(b))), ...places]; // with the text as it is now
    this.drawChips();
    this.buttons();
  }

  /** Sends this, and leaves alone what is being written. */
  async sendBeside(text: string, blocks: ContentBlock[]): Promise<void> {
    if (this.disabled || this.sending) return;
    this.sending = true;
    this.say('');
    this.buttons();
    await this.sending_.send({ blocks: [{ type: 'text', text }, ...blocks], whereabouts: undefined, delivery: 'auto' });
    this.sending = false;
    this.buttons();
  }

  edits(on: boolean): void {
    this.editing.hidden = !on;
    this.editing.replaceChildren(...(on ? [icon('edit'), el('span', null, t('editing')), button(t('cancelEdit'), () => this.sending_.cancelEdit(), { class: 'link' })] : []));
  }

  state(s: { running: boolean; disabled: boolean; mode: ModeName | undefined; modeLabel: string; model: string; effort: string; asks: string }): void {
    this.running = s.running;
    this.disabled = s.disabled;
    const stopped = !s.running && document.activeElement === this.stopButton;
    this.stopButton.hidden = !s.running;
    this.mode.replaceChildren(icon(s.mode ? icons[s.mode] : 'person'), el('span', null, s.modeLabel), icon('chevron-down'));
    this.mode.classList.toggle('full', s.mode === 'full_access');
    this.mode.title = `${t('mode')}: ${s.modeLabel}${s.mode ? `. ${word('mode_hint', s.mode)}` : ''}`;
    this.model.replaceChildren(el('span', null, visible(s.model.slice(s.model.lastIndexOf('/') + 1))), icon('chevron-down'));
    this.model.title = `${t('model')}: ${visible(s.model)}${s.effort && ` · ${t('effort', visible(s.effort))}`}`;
    for (const p of [this.mode, this.model]) p.disabled = s.disabled;
    this.asks = s.asks;
    this.sight.look(this.pictures.length > 0, this.asks);
    const placeholder = t(s.running ? 'promptQueue' : 'promptPlaceholder');
    if (this.box.placeholder !== placeholder) {
      this.box.placeholder = placeholder;
      this.grow();
    }
    this.box.disabled = s.disabled;
    if (stopped) this.box.focus(); // what is hidden loses it
    this.buttons();
  }

  say(problem: string): void { this.problem.textContent = problem; }

  private buttons(): void {
    this.sendButton.disabled = this.disabled || this.sending || (!this.box.value.trim() && !this.pictures.length && !this.links.length);
    this.sendButton.title = t(this.running ? 'sendQueue' : 'send');
    this.sendButton.setAttribute('aria-label', this.sendButton.title);
  }

  private grow(): void {
    this.box.style.height = 'auto';
    this.box.style.height = `${Math.min(this.box.scrollHeight, Math.max(120, window.innerHeight * 0.4))}px`;
  }

  private key(e: KeyboardEvent): void {
    if (e.defaultPrevented || e.isComposing || this.mention.key(e)) return;
    if (e.key === 'Enter' && !e.shiftKey && !e.altKey) {
      e.preventDefault();
      void this.send((e.ctrlKey || e.metaKey) && this.running ? 'steer' : 'auto');
    } else if (e.key === 'Escape' && !this.editing.hidden) {
      e.preventDefault();
      this.sending_.cancelEdit();
    } else if (e.key === 'ArrowUp' && !(e.shiftKey || e.altKey || e.ctrlKey || e.metaKey) && !this.box.value && !this.pictures.length && !this.links.length) {
      const blocks = this.sending_.last();
      if (!blocks) return;
      e.preventDefault();
      this.refill(blocks);
    }
  }

  async send(delivery: 'auto' | 'steer'): Promise<void> {
    const text = this.box.value.trim();
    if (this.sendButton.disabled || this.sending) return;
    const blocks: ContentBlock[] = [];
    if (text) blocks.push({ type: 'text', text });
    for (const p of this.pictures) blocks.push({ type: 'image', mimeType: p.mimeType, ...('uri' in p ? { uri: p.uri } : { data: p.data }), ...(this.sight.anyway && { anyway: true }) });
    blocks.push(...this.links);
    // A place of this file that was handed over says more than where the cursor is.
    const where = this.withWhere && !this.links.some((l) => l.uri === this.where?.uri) ? this.where : null;
    this.sending = true;
    this.say('');
    this.buttons();
    const taken = await this.sending_.send({ blocks, whereabouts: where ?? undefined, delivery });
    this.sending = false;
    if (taken && this.box.value.trim() === text) this.fill('');
    this.buttons();
  }

  private async attach(files: File[]): Promise<void> {
    this.say('');
    for (const f of files) {
      if (this.pictures.length >= most) return this.say(t('tooManyImages', most));
      try {
        this.pictures.push(await pictureOf(f));
      } catch (e) {
        this.say(e instanceof Unfit ? e.message : String(e));
      }
    }
    this.drawChips();
    this.buttons();
  }

  private drops(frame: HTMLElement): void {
    frame.addEventListener('dragover', (e) => {
      if (![...(e.dataTransfer?.items ?? [])].some((i) => i.kind === 'file')) return;
      e.preventDefault();
      frame.classList.add('drop');
    });
    frame.addEventListener('dragleave', () => frame.classList.remove('drop'));
    frame.addEventListener('drop', (e) => {
      frame.classList.remove('drop');
      const images = imagesOf(e.dataTransfer);
      if (!images.length) return;
      e.preventDefault();
      void this.attach(images);
    });
  }

  drawChips(): void {
    this.sight.look(this.pictures.length > 0, this.asks);
    const chips: HTMLElement[] = [];
    const w = this.where;
    if (w) {
      const lines = w.empty ? '' : w.startLine === w.endLine ? `:${w.startLine}` : `:${w.startLine}-${w.endLine}`;
      const name = visible(w.path.slice(w.path.lastIndexOf('/') + 1)) + lines;
      const on = this.withWhere;
      chips.push(el('button', {
        type: 'button', class: `chip context${on ? '' : ' off'}`, 'aria-pressed': String(on), title: t(on ? 'context' : 'contextOff', visible(w.path) + lines), 'aria-label': t('context', visible(w.path) + lines),
        onclick: () => { this.withWhere = !on; this.drawChips(); this.chips.querySelector<HTMLElement>('.context')?.focus(); },
      }, icon(on ? 'eye' : 'eye-closed'), name));
    }
    this.pictures.forEach((p, i) => {
      const src = 'uri' in p ? this.sending_.picture(p.uri) : dataUrl(p.data, p.mimeType);
      chips.push(el('span', { class: 'chip picture' }, src ? el('img', { src, alt: t('image', i + 1) }) : icon('file-media'),
        iconButton('close', 'removeImage', () => { this.pictures.splice(i, 1); this.drawChips(); this.buttons(); this.box.focus(); }, { 'aria-label': t('removeImage', i + 1), title: t('removeImage', i + 1) })));
    });
    for (const l of this.links) {
      const { path, name, lines } = linked(l);
      const long = l.type === 'artifact';
      const shown = long ? longText(l) : visible(name) + lines;
      chips.push(el('span', { class: 'chip link', title: long ? shown : visible(path) + lines }, icon(long ? 'note' : 'file'), shown,
        iconButton('close', 'removeContext', () => { this.links = this.links.filter((x) => x !== l); this.drawChips(); this.buttons(); this.box.focus(); }, { 'aria-label': t('removeContext', shown), title: t('removeContext', shown) })));
    }
    this.chips.replaceChildren(...chips);
    this.chips.hidden = !chips.length;
  }
}
