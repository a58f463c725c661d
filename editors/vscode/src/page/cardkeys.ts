// Answers with one key on the card that has the focus: a digit presses the button with that
// number, Enter the first answer. A key counts only where a person has moved the focus to that
// card, and after it has stood still there: what is typed while a question comes answers nothing.

export interface Keyed {
  /** Whether everything has stood where it is for long enough. */
  still(): boolean;
  /** Enter on a card, and on none of its buttons. */
  enter(id: string): void;
  /** The person is back in this window, with the focus where they had left it. */
  returned(): void;
}

export class CardKeys {
  private moved = ''; // the card to which a person has moved the focus
  private placing = false; // the page moves it

  constructor(private readonly node: HTMLElement, private readonly keyed: Keyed) {
    node.addEventListener('pointerdown', (e) => this.take(cardOf(e.target)), true);
    // From elsewhere in the page; from nowhere it comes with the window.
    node.addEventListener('focusin', (e) => { if (this.placing) this.take(undefined); else if (e.relatedTarget) this.take(cardOf(e.target)); });
    node.addEventListener('focusout', (e) => { if (e.relatedTarget && !node.contains(e.relatedTarget as Node)) this.take(undefined); });
    node.addEventListener('keydown', (e) => this.key(e));
    window.addEventListener('focus', () => keyed.returned());
  }

  /** Moves the focus without a person; no key counts before they have moved it themselves. */
  unmoved(move: () => boolean): boolean {
    this.placing = true;
    try {
      return move();
    } finally {
      this.placing = false;
    }
  }

  /** A person has asked for the card that has the focus now. */
  asked(): void { this.take(cardOf(document.activeElement)); }

  private take(card: HTMLElement | undefined): void {
    this.moved = card?.dataset.approval ?? '';
    for (const c of this.node.querySelectorAll<HTMLElement>('.approval')) c.toggleAttribute('data-keys', c === card);
  }

  private key(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    const card = cardOf(target);
    if (!card || e.defaultPrevented || e.repeat || e.isComposing || e.ctrlKey || e.metaKey || e.altKey || target.closest('textarea')) return;
    const digit = /^[1-9]$/.test(e.key);
    if (!digit && (e.key !== 'Enter' || target.closest('button'))) return; // a button takes its Enter itself
    e.preventDefault();
    if (this.moved !== card.dataset.approval || !this.keyed.still()) return;
    if (digit) card.querySelector<HTMLElement>(`.approval-buttons:not([hidden]) > [aria-keyshortcuts="${e.key}"]:not(:disabled)`)?.click();
    else this.keyed.enter(this.moved);
  }
}

const cardOf = (at: EventTarget | null): HTMLElement | undefined => (at as HTMLElement | null)?.closest?.<HTMLElement>('.approval') ?? undefined;
