// What the picker of models offers, from what providers say of themselves and what a
// person types. It knows no editor; the words come from the caller.
import type { ProviderModels } from '../protocol';

export interface Entry {
  label: string;
  description?: string;
  /** What accepting it chooses; without one nothing is chosen. */
  model?: string;
  /** The heading of the entries below it. */
  heading?: true;
  /** Shown whatever is typed. */
  always?: true;
}

export interface Words {
  configured: string;
  inUse: string;
  none: string;
  use(name: string): string;
  window(tokens: number): string;
  /** Why a provider has no list. */
  failed(list: ProviderModels): string;
}

/** The configured models first, then those of each provider below its name, with its error where it has no list. */
export function entries(configured: readonly string[], lists: readonly ProviderModels[], now: string, w: Words): Entry[] {
  const all: Entry[] = [], seen = new Set<string>();
  const add = (model: string, window?: number) => {
    if (seen.has(model)) return;
    seen.add(model);
    const about = [model === now ? w.inUse : '', window ? w.window(window) : ''].filter(Boolean).join(' · ');
    all.push({ label: model, model, ...(about && { description: about }) });
  };
  const known = new Map(lists.flatMap((l) => l.models.map((m) => [m.name, m.window] as const)));
  if (configured.length > 0) all.push({ label: w.configured, heading: true });
  for (const name of configured) add(name, known.get(name));
  for (const list of lists) {
    all.push({ label: list.name || list.baseUrl, heading: true });
    for (const m of list.models) add(m.name, m.window);
    if (list.error) all.push({ label: w.failed(list), always: true });
    else if (list.models.length === 0) all.push({ label: w.none, always: true });
  }
  return all;
}

/** The names that a typed text may mean and no entry has; of a provider's own picker first the one with the provider. */
export function typed(text: string, offered: readonly Entry[], provider: string | undefined, w: Words): Entry[] {
  const name = text.trim();
  if (name === '') return [];
  const names = !provider || name.startsWith(`${provider}/`) ? [name] : name.includes('/') ? [`${provider}/${name}`, name] : [`${provider}/${name}`];
  return names.filter((n) => !offered.some((e) => e.model === n)).map((n) => ({ label: w.use(n), model: n, always: true }));
}

/** All that is shown while a text is typed: Enter takes the first entry, so what cannot be chosen comes after the typed name. */
export function shown(text: string, offered: readonly Entry[], provider: string | undefined, w: Words): Entry[] {
  const own = typed(text, offered, provider, w);
  if (own.length === 0) return [...offered];
  const said = offered.filter((e) => e.always);
  return [...offered.filter((e) => !e.always), { label: '', heading: true }, ...own, ...said];
}

/** Whether a model is one of a provider. */
export function isOf(model: string, provider: string): boolean {
  return model.startsWith(`${provider}/`);
}

/** The providers, that of a model before the others. */
export function byUse<P extends { name: string }>(all: readonly P[], model: string): P[] {
  return [...all].sort((a, b) => Number(isOf(model, b.name)) - Number(isOf(model, a.name)));
}

/** The address that a text means. A host with a port may come without its scheme. */
export function addressOf(text: string): { url: string } | { wrong: 'scheme' | 'address' } {
  const given = text.trim();
  const url = /^(\[[0-9a-f:.]+\]|[\w.-]+):\d+(\/\S*)?$/i.test(given) ? `http://${given}` : given;
  if (!/^https?:\/\//i.test(url)) return { wrong: 'scheme' };
  return !/\s/.test(url) && URL.canParse(url) ? { url } : { wrong: 'address' };
}
