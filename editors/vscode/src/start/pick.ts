// The one picker of a model: filled while it is open, and taking a name that is typed.
import { l10n, QuickPickItemKind, type QuickPickItem, window } from 'vscode';
import type { ProviderModels } from '../protocol';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';
import { type Entry, entries, shown, type Words } from './models';

const words: Words = {
  get configured() { return l10n.t('configured'); },
  get inUse() { return l10n.t('in use'); },
  get none() { return `$(info) ${l10n.t('no models')}`; },
  use: (name) => l10n.t('Use “{0}”', name),
  window: (tokens) => l10n.t('{0}k tokens', Math.round(tokens / 1000)),
  failed: (list) => `$(warning) ${plain(whyNone(list), 300)}`,
};

export interface Asked {
  title: string;
  configured?: readonly string[];
  /** Marked as the one in use. */
  now?: string;
  /** Whose picker it is: a typed name is one of its own. */
  provider?: string;
  load: () => Promise<readonly ProviderModels[]>;
}

/** The chosen name; undefined: none. Resolves when the picker has closed. */
export function pick(asked: Asked): Promise<string | undefined> {
  const picker = window.createQuickPick<QuickPickItem & { model?: string }>();
  Object.assign(picker, { title: asked.title, placeholder: l10n.t('Choose a model, or type its name'), matchOnDescription: true, ignoreFocusOut: true, busy: true });
  let offered: Entry[] = [];
  const show = () => {
    picker.items = shown(picker.value, offered, asked.provider, words).map(item);
  };
  const fill = (lists: readonly ProviderModels[]) => {
    offered = entries(asked.configured ?? [], lists, asked.now ?? '', words);
    show();
  };
  return new Promise((resolve) => {
    let open = true;
    picker.onDidChangeValue(show);
    picker.onDidAccept(() => {
      const model = picker.selectedItems[0]?.model;
      if (model === undefined) return;
      resolve(model);
      picker.hide();
    });
    picker.onDidHide(() => {
      open = false;
      resolve(undefined);
      picker.dispose();
    });
    fill([]);
    picker.show();
    asked.load().catch((error: unknown) => [failure(asked.provider ?? '', error)]).then((lists) => {
      if (!open) return;
      fill(lists);
      picker.busy = false;
    }, () => {});
  });
}

/** Asks for a model of any provider, or of one. */
export function pickModel(sidecar: SidecarProcess, provider?: string): Promise<string | undefined> {
  const { capabilities } = sidecar;
  return pick({
    title: l10n.t('Agent: Select Model'), now: sidecar.model, ...(provider ? { provider } : { configured: capabilities?.models ?? [] }),
    load: async () => (capabilities && !capabilities.methods.includes('agent/models') ? [] : (await sidecar.request('agent/models', provider ? { provider } : {})).providers),
  });
}

/** A request that failed, as the list of a provider. */
export function failure(name: string, error: unknown): ProviderModels {
  return { name, baseUrl: '', models: [], error: { kind: 'internal', message: error instanceof Error ? error.message : String(error) } as ProviderModels['error'] & {} };
}

/** Why a provider or a server has no list, for a person. */
export function whyNone({ name, baseUrl, error }: ProviderModels): string {
  const who = name || baseUrl;
  switch (error?.kind) {
    case 'model_unreachable': return l10n.t('{0} does not answer', who);
    case 'no_list': return l10n.t('{0} answers, but has no list of models', who);
    default: return who ? `${who}: ${error?.message ?? ''}` : error?.message ?? '';
  }
}

function item(e: Entry): QuickPickItem & { model?: string } {
  if (e.heading) return { label: plain(e.label, 100), kind: QuickPickItemKind.Separator };
  return { label: e.model === undefined ? e.label : plain(e.label, 200), description: e.description, alwaysShow: e.always, model: e.model };
}
