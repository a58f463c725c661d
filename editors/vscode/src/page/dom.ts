// Making elements. Text goes in as text; there is no way to put HTML in.
import type { Code, Node as MdNode } from './markdown/render';
import { t, type Key } from './strings';

type Child = Node | string | number | false | null | undefined | Child[];
type Props = Record<string, unknown>;

/** An element: `class`, `on…` handlers, properties that exist on it, else attributes. */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props?: Props | null, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'class') e.className = String(value);
    else if (name.startsWith('on')) e.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) e.setAttribute(name, '');
    else e.setAttribute(name, String(value));
  }
  add(e, children);
  return e;
}

function add(e: HTMLElement, children: Child[]): void {
  for (const c of children) {
    if (c === undefined || c === null || c === false) continue;
    if (Array.isArray(c)) add(e, c);
    else e.append(c instanceof Node ? c : String(c));
  }
}

export const icon = (name: string, cls = '') => el('span', { class: `codicon codicon-${name} ${cls}`.trim(), 'aria-hidden': 'true' });

/** A button of an icon alone, with its name for those who do not see it. */
export function iconButton(name: string, label: Key, onclick: (e: MouseEvent) => void, props: Props = {}): HTMLButtonElement {
  return el('button', { type: 'button', class: 'icon-button', title: t(label), 'aria-label': t(label), onclick, ...props }, icon(name));
}

export function button(label: string, onclick: (e: MouseEvent) => void, props: Props = {}): HTMLButtonElement {
  return el('button', { type: 'button', class: 'button', onclick, ...props }, label);
}

/** Draws the code in Markdown, and makes what was drawn of one what another is. */
export interface CodeBlocks { draw(code: Code): HTMLElement; redraw(node: HTMLElement, code: Code): void }

/** Draws Markdown nodes. Links carry where they lead as data; the page follows them. */
export function mount(nodes: MdNode[], codes: CodeBlocks): Node[] {
  return nodes.map((n) => {
    if (typeof n === 'string') return document.createTextNode(n);
    if (n.code) return codes.draw(n.code);
    const e = document.createElement(n.tag);
    if (n.class) e.className = n.class;
    if (n.tag === 'ul' || n.tag === 'ol') e.dir = 'auto'; // its marks stand where its text begins
    if (n.start !== undefined) e.setAttribute('start', String(n.start));
    if (n.href !== undefined) {
      e.setAttribute('href', n.href);
      e.title = n.href;
    } else if (n.place) {
      e.setAttribute('href', '#');
      e.dataset.path = n.place.path;
      if (n.place.line) e.dataset.line = String(n.place.line);
      if (n.place.endLine) e.dataset.endLine = String(n.place.endLine);
    }
    e.append(...mount(n.children, codes));
    if (n.tag === 'table') {
      const frame = el('div', { class: 'table', tabindex: '0', role: 'region', 'aria-label': t('table') });
      frame.append(e);
      return frame;
    }
    return e;
  });
}

/** Makes what was mounted of `was` what `now` is. What is the same stays, with the selection in it: of a long text that grows only the end is made. */
export function remount(parent: ParentNode & Node, was: MdNode[], now: MdNode[], codes: CodeBlocks): void {
  let at = parent.firstChild;
  for (const [i, to] of now.entries()) {
    const from = was[i];
    if (from === undefined) {
      parent.append(...mount(now.slice(i), codes));
      return;
    }
    const node = at as ChildNode;
    at = node.nextSibling;
    if (typeof from === 'string' && typeof to === 'string') {
      if (to.startsWith(from)) { if (to !== from) (node as Text).appendData(to.slice(from.length)); }
      else (node as Text).data = to;
    } else if (typeof from !== 'string' && typeof to !== 'string' && from.code && to.code) {
      codes.redraw(node as HTMLElement, to.code);
    } else if (typeof from !== 'string' && typeof to !== 'string' && outside(from) === outside(to)) {
      remount(to.tag === 'table' ? node.firstChild as HTMLElement : node as HTMLElement, from.children, to.children, codes); // a table has a frame
    } else node.replaceWith(...mount([to], codes));
  }
  for (; at; ) {
    const next: ChildNode | null = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** All of an element but what is in it. */
const outside = ({ children: _, ...e }: Exclude<MdNode, string>) => (e.href === undefined && !e.place && !e.class && e.start === undefined ? e.tag : JSON.stringify(e));

/** Keeps the focus where it was when an element is drawn anew: on the part of the same name, or on the element itself where there is none any more. */
export function replaceKeepingFocus(old: HTMLElement, fresh: HTMLElement): void {
  const active = document.activeElement;
  const within = active instanceof HTMLElement && old.contains(active);
  const part = within && active !== old ? active.dataset.part : undefined;
  old.replaceWith(fresh);
  if (within) ((part && fresh.querySelector<HTMLElement>(`[data-part="${CSS.escape(part)}"]`)) || fresh).focus({ preventScroll: true });
}
