// The virtual list: of thousands of items only those near the view are in the document.
// While it stands at the end it stays there; else what is looked at does not move, whatever
// happens above. Heights are estimated until an item was drawn once, then measured.
import { el, replaceKeepingFocus } from './dom';

export interface Item {
  key: string;
  /** Changes whenever the item must be drawn anew. */
  version: string;
  estimate: number;
  draw(): HTMLElement;
  /** Makes what was drawn of another version what this one is, where that is less work; false: it must be drawn. */
  redraw?(node: HTMLElement): boolean;
}

const overscan = 600; // pixels above and below the view
const atEnd = 24;     // so near counts as the end

interface Mounted { item: Item; node: HTMLElement }

export class VirtualList {
  readonly scroller: HTMLElement;
  private readonly canvas: HTMLElement;
  private items: Item[] = [];
  private heights = new Map<string, number>();
  private tops: number[] = [];
  private total = 0;
  private mounted = new Map<string, Mounted>();
  private stuck = true;
  private scheduled = false;
  private width = 0;
  private ours = false;
  private readonly sizes: ResizeObserver;

  constructor(label: string, private readonly changed: { stuck(stuck: boolean): void; nearTop(): void }) {
    this.canvas = el('div', { class: 'canvas', role: 'feed', 'aria-label': label });
    this.scroller = el('div', { class: 'scroller' }, this.canvas);
    this.scroller.addEventListener('scroll', () => this.scrolled(), { passive: true });
    this.scroller.addEventListener('wheel', (e) => { if (e.deltaY < 0) this.leaveEnd(); }, { passive: true });
    this.sizes = new ResizeObserver((entries) => this.resized(entries));
    this.sizes.observe(this.scroller);
    this.canvas.addEventListener('keydown', (e) => this.key(e));
  }

  get isStuck(): boolean { return this.stuck; }

  /** The items as they are now. Draws at once: the caller has gathered what a frame brings. */
  set(items: Item[]): void {
    this.items = items;
    this.render();
  }

  toEnd(): void {
    this.stuck = true;
    this.changed.stuck(true);
    this.render();
  }

  /** Shows an item of which only the key is known, and gives it the focus. */
  focusItem(index: number): void {
    const i = Math.max(0, Math.min(index, this.items.length - 1));
    const item = this.items[i];
    if (!item) return;
    if (!this.mounted.has(item.key)) {
      this.stuck = false;
      this.measureTops();
      this.scroller.scrollTop = Math.max(0, this.tops[i] - 40);
      this.render();
    }
    this.mounted.get(item.key)?.node.focus({ preventScroll: true });
    this.mounted.get(item.key)?.node.scrollIntoView({ block: 'nearest' });
  }

  focusLast(): void { this.focusItem(this.items.length - 1); }

  get mountedCount(): number { return this.mounted.size; }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.render();
    });
  }

  private leaveEnd(): void {
    if (this.stuck && this.scroller.scrollHeight > this.scroller.clientHeight) {
      this.stuck = false;
      this.changed.stuck(false);
    }
  }

  private scrolled(): void {
    const s = this.scroller;
    const end = s.scrollHeight - s.scrollTop - s.clientHeight <= atEnd;
    if (!this.ours && end !== this.stuck) {
      this.stuck = end;
      this.changed.stuck(end);
    }
    const followed = this.ours && this.stuck; // it was drawn for the end already
    this.ours = false;
    if (!followed) this.schedule();
  }

  private resized(entries: ResizeObserverEntry[]): void {
    let moved = false;
    for (const e of entries) {
      if (e.target === this.scroller) {
        if (Math.abs(e.contentRect.width - this.width) > 1) {
          this.width = e.contentRect.width;
          this.heights.clear(); // lines break elsewhere now
          for (const [key, m] of this.mounted) this.heights.set(key, m.node.offsetHeight);
        }
        moved = true;
        continue;
      }
      const key = (e.target as HTMLElement).dataset.key!;
      const height = e.borderBoxSize[0].blockSize;
      if (this.mounted.get(key)?.node !== e.target || Math.abs((this.heights.get(key) ?? -1) - height) < 0.5) continue;
      this.heights.set(key, height);
      moved = true;
    }
    if (moved) this.render();
  }

  private measureTops(): void {
    let top = 0;
    this.tops.length = this.items.length;
    for (let i = 0; i < this.items.length; i++) {
      this.tops[i] = top;
      top += this.heights.get(this.items[i].key) ?? this.items[i].estimate;
    }
    this.total = top;
  }

  private indexAt(y: number): number {
    let lo = 0;
    let hi = this.items.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (this.tops[mid] <= y) lo = mid;
      else hi = mid - 1;
    }
    return lo;
  }

  /** The first item of the view and how far it is from its top, before anything moves. */
  private anchor(): { key: string; offset: number } | undefined {
    const top = this.scroller.getBoundingClientRect().top;
    for (const node of this.canvas.children) {
      if (node.classList.contains('away')) continue;
      const box = node.getBoundingClientRect();
      if (box.bottom > top + 1) return { key: (node as HTMLElement).dataset.key!, offset: box.top - top };
    }
    return undefined;
  }

  private render(): void {
    const s = this.scroller;
    const view = s.clientHeight;
    if (view === 0) return;
    const anchor = this.stuck ? undefined : this.anchor();
    this.measureTops();
    const begin = this.stuck ? Math.max(0, this.total - view) : this.wanted(anchor);
    const first = this.items.length ? this.indexAt(Math.max(0, begin - overscan)) : 0;
    const last = this.items.length ? this.indexAt(begin + view + overscan) : -1;
    this.mountRange(first, last);
    if (this.stuck) {
      const end = s.scrollHeight - view;
      if (Math.abs(s.scrollTop - end) > 0.5) {
        this.ours = true;
        s.scrollTop = end;
      }
      if (this.items.length && s.scrollHeight <= view) this.changed.nearTop(); // there is nothing to scroll by
    } else if (anchor) {
      const node = this.mounted.get(anchor.key)?.node;
      if (node) {
        const off = node.getBoundingClientRect().top - s.getBoundingClientRect().top - anchor.offset;
        if (Math.abs(off) > 0.5) {
          this.ours = true;
          s.scrollTop += off;
        }
      }
      if (s.scrollTop < view) this.changed.nearTop();
    }
  }

  /** Where the view begins by the new heights, so that the anchor stays where it is. */
  private wanted(anchor: { key: string; offset: number } | undefined): number {
    const scroll = this.scroller.scrollTop;
    if (!anchor) return scroll;
    const i = this.items.findIndex((x) => x.key === anchor.key);
    // The anchor is used only near what is drawn: a jump of the scroll bar has none.
    return i >= 0 && this.mounted.has(anchor.key) && anchor.offset < this.scroller.clientHeight && anchor.offset > -20000 ? this.tops[i] - anchor.offset : scroll;
  }

  private mountRange(first: number, last: number): void {
    const keep = new Set<string>();
    for (let i = first; i <= last; i++) keep.add(this.items[i].key);
    const focused = this.focusedKey();
    for (const [key, m] of this.mounted) {
      if (keep.has(key)) continue;
      if (key === focused && this.items.some((x) => x.key === key)) continue; // the focus is not taken from a person who scrolls
      this.sizes.unobserve(m.node);
      m.node.remove();
      this.mounted.delete(key);
    }
    let at: Element | null = null;
    for (let i = first; i <= last; i++) {
      const node = this.mountOne(this.items[i], i);
      const next: Element | null = at ? at.nextElementSibling : this.canvas.firstElementChild;
      if (node !== next) this.canvas.insertBefore(node, next);
      at = node;
    }
    // A row that was only there until another came leaves the focus to the last one in view.
    if (focused !== undefined && !this.mounted.has(focused)) (at as HTMLElement | null)?.focus({ preventScroll: true });
    const firstTop = this.items.length ? this.tops[first] : 0;
    const bottom = last >= 0 ? this.total - this.tops[last] - (this.heights.get(this.items[last].key) ?? this.items[last].estimate) : 0;
    const away = focused !== undefined && !keep.has(focused) ? this.mounted.get(focused)?.node : undefined;
    if (away) away.classList.add('away');
    for (const m of this.mounted.values()) if (m.node !== away) m.node.classList.remove('away');
    this.canvas.style.paddingTop = `${firstTop}px`;
    this.canvas.style.paddingBottom = `${Math.max(0, bottom)}px`;
  }

  private mountOne(item: Item, index: number): HTMLElement {
    const there = this.mounted.get(item.key);
    if (there && (there.item.version === item.version || item.redraw?.(there.node))) {
      there.item = item;
      this.number(there.node, index);
      return there.node;
    }
    const node = item.draw();
    node.dataset.key = item.key;
    node.tabIndex = -1;
    this.number(node, index);
    if (there) {
      this.sizes.unobserve(there.node);
      replaceKeepingFocus(there.node, node);
    }
    this.mounted.set(item.key, { item, node });
    this.sizes.observe(node);
    return node;
  }

  private number(node: HTMLElement, index: number): void {
    node.setAttribute('aria-posinset', String(index + 1));
    node.setAttribute('aria-setsize', String(this.items.length));
  }

  private focusedKey(): string | undefined {
    const active = document.activeElement;
    return active instanceof HTMLElement && this.canvas.contains(active) ? (active.closest('[data-key]') as HTMLElement | null)?.dataset.key : undefined;
  }

  /** Arrow keys go from item to item when one of them has the focus itself. */
  private key(e: KeyboardEvent): void {
    const node = e.target as HTMLElement;
    const key = node.closest<HTMLElement>('[data-key]')?.dataset.key;
    if (key === undefined || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return;
    const own = node.dataset.key === key;
    const i = this.items.findIndex((x) => x.key === key);
    const to = e.key === 'PageDown' ? i + 8 : e.key === 'PageUp' ? i - 8 : !own ? undefined
      : e.key === 'ArrowDown' ? i + 1 : e.key === 'ArrowUp' ? i - 1 : e.key === 'Home' ? 0 : e.key === 'End' ? this.items.length - 1 : undefined;
    if (to === undefined) return;
    e.preventDefault();
    if (e.key === 'End') this.toEnd();
    else this.leaveEnd();
    this.focusItem(to);
  }
}
