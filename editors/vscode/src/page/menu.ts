// A button that opens a list to choose from: mode, model, rule, what to do with a
// session. Arrow keys, Home, End and letters move, Enter chooses, Escape closes.
import { el, icon } from './dom';

export interface Choice { label: string; hint?: string; icon?: string; checked?: boolean; apart?: boolean; run(): void } // apart: a line stands above it

let closeOpen: (() => void) | undefined;

export function openMenu(anchor: HTMLElement, label: string, choices: Choice[]): void {
  const wasOpen = anchor.getAttribute('aria-expanded') === 'true';
  closeOpen?.();
  if (wasOpen || !choices.length) return;
  const radio = choices.some((c) => c.checked !== undefined);
  const items = choices.map((c, i) => el('button', {
    type: 'button', class: 'menu-item', role: radio ? 'menuitemradio' : 'menuitem', tabindex: '-1', 'aria-checked': radio ? String(!!c.checked) : undefined,
    onclick: () => { close(true); c.run(); }, onmousemove: () => items[i].focus({ preventScroll: true }),
  }, icon(c.checked ? 'check' : c.icon ?? (radio ? 'blank' : 'circle-small')),
  el('span', { class: 'menu-label' }, c.label, c.hint && el('span', { class: 'menu-hint' }, c.hint))));
  const menu = el('div', { class: 'menu', role: 'menu', 'aria-label': label, onkeydown: key }, items.flatMap((item, i) => (choices[i].apart ? [el('div', { class: 'menu-line', role: 'separator' }), item] : [item])));
  document.body.append(menu);
  place(menu, anchor);
  anchor.setAttribute('aria-expanded', 'true');
  const outside = (e: Event) => { if (!menu.contains(e.target as Node) && !anchor.contains(e.target as Node)) close(false); };
  document.addEventListener('pointerdown', outside, true);
  window.addEventListener('blur', outside);
  window.addEventListener('resize', outside);
  closeOpen = () => close(false);
  (items.find((i) => i.getAttribute('aria-checked') === 'true') ?? items[0]).focus();

  function close(focus: boolean): void {
    closeOpen = undefined;
    menu.remove();
    anchor.setAttribute('aria-expanded', 'false');
    document.removeEventListener('pointerdown', outside, true);
    window.removeEventListener('blur', outside);
    window.removeEventListener('resize', outside);
    if (focus) anchor.focus();
  }

  function key(e: KeyboardEvent): void {
    if (e.defaultPrevented) return;
    if (e.repeat && (e.key === 'Enter' || e.key === ' ')) return e.preventDefault(); // the key that opened it, held down
    const i = items.indexOf(document.activeElement as HTMLButtonElement);
    const letter = e.key.length === 1 && /\S/.test(e.key) ? e.key.toLowerCase() : undefined;
    const to = e.key === 'ArrowDown' ? (i + 1) % items.length : e.key === 'ArrowUp' ? (i - 1 + items.length) % items.length
      : e.key === 'Home' ? 0 : e.key === 'End' ? items.length - 1
        : letter ? items.findIndex((x, k) => k > i && x.textContent!.trim().toLowerCase().startsWith(letter)) : undefined;
    if (e.key === 'Escape' || e.key === 'Tab') close(true);
    else if (to === undefined) return;
    else if (to >= 0) items[to].focus();
    if (e.key !== 'Tab') e.preventDefault();
    e.stopPropagation();
  }
}

/** Above the button, or below it where there is more room. */
function place(menu: HTMLElement, anchor: HTMLElement): void {
  const a = anchor.getBoundingClientRect();
  const below = window.innerHeight - a.bottom;
  menu.style.maxWidth = `${window.innerWidth - 16}px`;
  const left = Math.max(8, Math.min(a.left, window.innerWidth - menu.offsetWidth - 8));
  menu.style.left = `${left}px`;
  if (a.top > below) {
    menu.style.bottom = `${window.innerHeight - a.top + 4}px`;
    menu.style.maxHeight = `${Math.max(80, a.top - 16)}px`;
  } else {
    menu.style.top = `${a.bottom + 4}px`;
    menu.style.maxHeight = `${Math.max(80, below - 16)}px`;
  }
}

/** The button that opens a menu, with what is chosen. */
export function menuButton(label: string, choices: () => Choice[], cls = ''): HTMLButtonElement {
  const node: HTMLButtonElement = el('button', { type: 'button', class: `picker ${cls}`, 'aria-haspopup': 'menu', 'aria-expanded': 'false', title: label, onclick: () => openMenu(node, label, choices()) });
  return node;
}
