// A model server on this machine: is one there, which models has it, and written into the
// user's own configuration through the sidecar.
import { l10n, type QuickPickItem, window } from 'vscode';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';
import { providers } from './providers';

/** What a server says at `/models`; undefined: nobody there. */
export async function modelsOf(baseUrl: string, timeoutMs = 2000): Promise<string[] | undefined> {
  try {
    const answer = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
    if (!answer.ok) return undefined;
    const body = (await answer.json()) as { data?: { id?: unknown }[] };
    return (body.data ?? []).map((m) => m?.id).filter((id): id is string => typeof id === 'string' && id !== '');
  } catch {
    return undefined;
  }
}

export async function useLocalServer(sidecar: SidecarProcess): Promise<void> {
  const title = l10n.t('Agent: Use a Local Model Server');
  const known = providers.filter((p) => p.local);
  const there = await Promise.all(known.map((p) => modelsOf(p.local!, 1000)));
  const items: (QuickPickItem & { provider?: string; url?: string; models?: string[] })[] = known.map((p, i) => ({
    label: p.label, description: p.local, detail: there[i] ? there[i].length === 1 ? l10n.t('answers, 1 model') : l10n.t('answers, {0} models', there[i].length) : l10n.t('does not answer'),
    provider: p.name, url: p.local, models: there[i],
  }));
  items.sort((a, b) => Number(!!b.models) - Number(!!a.models));
  items.push({ label: l10n.t('Another address…') });
  const answer = await window.showQuickPick(items, { title, ignoreFocusOut: true });
  if (!answer) return;
  let { provider, models } = answer;
  if (!provider) {
    const url = await window.showInputBox({
      title, prompt: l10n.t('The address of a server that speaks the OpenAI API'), value: 'http://127.0.0.1:8080/v1', ignoreFocusOut: true,
      validateInput: (text) => (/^https?:\/\/\S+$/.test(text.trim()) ? undefined : l10n.t('An http or https address')),
    });
    if (!url) return;
    provider = 'local';
    models = await modelsOf(url.trim());
    await sidecar.request('agent/config', { op: 'set', key: 'providers.local.baseUrl', value: url.trim() });
  }
  const model = models?.length
    ? await window.showQuickPick(models.map((name) => ({ label: plain(name, 100), name })), { title: l10n.t('Which model?'), ignoreFocusOut: true }).then((m) => m?.name)
    : await window.showInputBox({ title, prompt: l10n.t('The name of the model, as the server knows it'), ignoreFocusOut: true });
  if (!model?.trim()) return;
  await sidecar.request('agent/config', { op: 'set', key: 'model', value: `${provider}/${model.trim()}` });
  void window.showInformationMessage(l10n.t('New sessions use {0}.', plain(`${provider}/${model.trim()}`, 100)));
}
