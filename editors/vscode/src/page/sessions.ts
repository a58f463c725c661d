// The list of sessions: search, open, fork, rename, export, delete, more.
import type { Session } from '../protocol';
import { visibleLine } from '../text/visible';
import { el, icon, iconButton, button } from './dom';
import { openMenu } from './menu';
import { t, word } from './strings';

export interface Listing {
  list(query: string, cursor: string | undefined): Promise<{ sessions: Session[]; nextCursor: string | null }>;
  open(id: string): void;
  fork(id: string): void;
  act(what: 'rename' | 'delete' | 'export', id: string): Promise<unknown>;
  close(): void;
  readonly current: string | null;
}

export class Sessions {
  readonly node: HTMLElement;
  private readonly search = el('input', { type: 'search', class: 'search', 'aria-label': t('searchSessions'), placeholder: t('searchSessions') });
  private readonly items = el('div', { class: 'session-list' });
  private readonly note = el('div', { class: 'quiet pad', role: 'status' });
  private readonly more = button(t('loadMore'), () => void this.load(false), { class: 'button secondary', hidden: true });
  private sessions: Session[] = [];
  private cursor: string | undefined;
  private asked = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly listing: Listing) {
    this.search.addEventListener('input', () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.load(true), 150);
    });
    this.node = el('section', { class: 'sessions', 'aria-label': t('sessions'), hidden: true, onkeydown: (e: KeyboardEvent) => this.key(e) },
      el('div', { class: 'sessions-head' }, iconButton('arrow-left', 'back', () => listing.close()), this.search), this.items, this.note, this.more);
  }

  show(): void {
    this.node.hidden = false;
    this.search.value = '';
    this.search.focus();
    void this.load(true);
  }

  hide(): void { this.node.hidden = true; }
  get shown(): boolean { return !this.node.hidden; }

  async load(fresh: boolean): Promise<void> {
    const asked = ++this.asked;
    try {
      const page = await this.listing.list(this.search.value.trim(), fresh ? undefined : this.cursor);
      if (asked !== this.asked) return;
      const known = new Set(fresh ? [] : this.sessions.map((s) => s.id));
      this.sessions = [...(fresh ? [] : this.sessions), ...page.sessions.filter((s) => !known.has(s.id))];
      this.cursor = page.nextCursor ?? undefined;
      this.note.textContent = this.sessions.length ? '' : t(this.search.value.trim() ? 'noneFound' : 'noSessions');
      this.more.hidden = !this.cursor;
    } catch (e) {
      if (asked === this.asked) this.note.textContent = (e as Error).message;
    }
    this.draw();
  }

  private draw(): void {
    const active = document.activeElement instanceof HTMLElement && this.items.contains(document.activeElement) ? document.activeElement.closest<HTMLElement>('[data-session]')?.dataset.session : undefined;
    this.items.replaceChildren(...byDay(this.sessions, new Date()).map(({ day, sessions }) => el('section', { 'aria-label': day || t('sessions') },
      day && el('h2', { class: 'session-day quiet' }, day), el('ul', { class: 'plain' }, sessions.map((s) => this.item(s))))));
    if (active) (this.items.querySelector<HTMLElement>(`[data-session="${CSS.escape(active)}"] .session-open`) ?? this.search).focus();
  }

  private item(s: Session): HTMLElement {
    const title = visibleLine(s.title) || t('untitled');
    const again = () => void this.load(true);
    const act = (what: 'rename' | 'delete' | 'export') => () => void this.listing.act(what, s.id).then(again, (e: Error) => { this.note.textContent = e.message; });
    const more: HTMLButtonElement = iconButton('ellipsis', 'more', () => openMenu(more, t('sessionActions', title), [
      { label: t('forkSession'), icon: 'repo-forked', run: () => this.listing.fork(s.id) },
      { label: t('renameSession'), icon: 'edit', run: act('rename') },
      { label: t('exportSession'), icon: 'export', run: act('export') },
      { label: t('deleteSession'), icon: 'trash', run: act('delete') },
    ]), { 'aria-label': t('sessionActions', title), 'aria-haspopup': 'menu', 'aria-expanded': 'false' });
    return el('li', { class: `session${s.id === this.listing.current ? ' current' : ''}`, 'data-session': s.id },
      el('button', { type: 'button', class: 'session-open', 'aria-current': s.id === this.listing.current ? 'true' : undefined, onclick: () => this.listing.open(s.id) },
        el('span', { class: 'session-title' }, s.parent?.atSeq ? icon('repo-forked') : null, el('span', null, title)),
        el('span', { class: 'session-facts quiet' }, el('span', null, when(s.updatedAt), s.agent ? ` · ${visibleLine(s.agent)}` : ''),
          s.state !== 'idle' ? el('span', { class: `badge state-${/^[a-z_]+$/.test(s.state) ? s.state : 'other'}` }, word('state', s.state)) : null,
          s.mode === 'full_access' ? el('span', { class: 'badge bad' }, t('fullAccess')) : null)), more);
  }

  private key(e: KeyboardEvent): void {
    if (e.defaultPrevented) return;
    if (e.key === 'Escape') { e.preventDefault(); return this.listing.close(); }
    if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return;
    const rows = [...this.items.querySelectorAll<HTMLElement>('.session-open')];
    const i = rows.findIndex((r) => r.closest('li')!.contains(document.activeElement));
    const to = e.key === 'ArrowDown' ? i + 1 : i - 1;
    e.preventDefault();
    if (to < 0) this.search.focus();
    else rows[Math.min(to, rows.length - 1)]?.focus();
  }
}

function when(time: string): string {
  const d = new Date(time);
  if (Number.isNaN(d.getTime())) return '';
  const lang = language();
  return d.toDateString() === new Date().toDateString() ? d.toLocaleTimeString(lang, { hour: '2-digit', minute: '2-digit' }) : d.toLocaleDateString(lang, { day: 'numeric', month: 'short', year: d.getFullYear() === new Date().getFullYear() ? undefined : 'numeric' });
}

const oneDay = 24 * 60 * 60 * 1000;

/** The sessions in their order, by the day on which they last changed: the days of a week, then months. */
export function byDay(sessions: Session[], now: Date, lang = language()): { day: string; sessions: Session[] }[] {
  const groups: { day: string; sessions: Session[] }[] = [];
  for (const s of sessions) {
    const day = dayOf(new Date(s.updatedAt), now, lang);
    if (groups.at(-1)?.day === day) groups.at(-1)!.sessions.push(s);
    else groups.push({ day, sessions: [s] });
  }
  return groups;
}

function dayOf(d: Date, now: Date, lang: string | undefined): string {
  if (Number.isNaN(d.getTime())) return '';
  const ago = Math.round((midnight(now) - midnight(d)) / oneDay); // a day may have 23 hours
  const name = ago <= 1 ? new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(-Math.max(0, ago), 'day')
    : d.toLocaleDateString(lang, ago < 7 ? { weekday: 'long' } : { month: 'long', year: 'numeric' });
  return name.charAt(0).toLocaleUpperCase(lang) + name.slice(1);
}

const midnight = (d: Date) => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime();
const language = () => document.documentElement.lang || undefined;
