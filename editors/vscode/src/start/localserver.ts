// A model server on this machine: is one there, and which models has it. Its address goes
// into the user's own configuration, through the sidecar.
import { l10n, type QuickPickItem, window } from 'vscode';
import type { ProviderModels } from '../protocol';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';
import { addressOf } from './models';
import { failure, pick, whyNone } from './pick';
import { providers } from './providers';

type Server = QuickPickItem & { provider?: string; list?: ProviderModels };

/** What a server says of its models. It is asked without any key, and nothing is stored. */
async function ask(sidecar: SidecarProcess, baseUrl: string): Promise<ProviderModels> {
  try {
    const [list] = (await sidecar.request('agent/models', { baseUrl })).providers;
    if (list) return list;
  } catch (error) {
    return { ...failure('', error), baseUrl };
  }
  return { name: '', baseUrl, models: [] };
}

async function servers(sidecar: SidecarProcess): Promise<Server[]> {
  const items = await Promise.all(providers.filter((p) => p.local).map(async (p): Promise<Server> => {
    const list = await ask(sidecar, p.local!);
    const says = list.error ? whyNone({ ...list, name: p.label }) : list.models.length === 1 ? l10n.t('answers, 1 model') : l10n.t('answers, {0} models', list.models.length);
    return { label: p.label, description: p.local, detail: plain(says, 300), provider: p.name, list };
  }));
  items.sort((a, b) => Number(!!a.list!.error) - Number(!!b.list!.error));
  return [...items, { label: l10n.t('Another address…') }];
}

/** The model that was chosen, with its provider; undefined: none, and nothing is stored. */
export async function chooseLocal(sidecar: SidecarProcess): Promise<string | undefined> {
  const title = l10n.t('Agent: Use a Local Model Server');
  const answer = await window.showQuickPick(servers(sidecar), { title, ignoreFocusOut: true });
  if (!answer) return undefined;
  const provider = answer.provider ?? 'local';
  let list: Promise<ProviderModels>;
  if (answer.list) list = Promise.resolve(answer.list);
  else {
    const text = await window.showInputBox({
      title, prompt: l10n.t('The address of a server that speaks the OpenAI API'), value: 'http://127.0.0.1:8080/v1', ignoreFocusOut: true, validateInput: wrong,
    });
    const address = addressOf(text ?? '');
    if (!('url' in address)) return undefined;
    list = ask(sidecar, address.url);
  }
  const name = await pick({ title: l10n.t('Which model?'), load: async () => [await list] });
  if (!name) return undefined;
  // Only now, so that leaving half way leaves nothing behind.
  if (!answer.list) await sidecar.request('agent/config', { op: 'set', key: 'providers.local.baseUrl', value: (await list).baseUrl });
  return `${provider}/${name}`;
}

function wrong(text: string): string | undefined {
  const address = addressOf(text);
  if ('url' in address) return undefined;
  return address.wrong === 'scheme' ? l10n.t('Must start with http:// or https://') : l10n.t('This is not a valid address.');
}
