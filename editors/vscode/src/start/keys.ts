// API keys: kept in the editor's secret storage, given to the process as environment.
import { type Disposable, type ExtensionContext, l10n, type QuickPickItem, window } from 'vscode';
import type { Sidecar } from '../sidecar/api';
import { isKey, isKeyName } from '../sidecar/environment';
import { byUse } from './models';
import { type Provider, providers } from './providers';

const prefix = 'agentSidecar.key.';
const ownNames = 'agentSidecar.keyNames'; // the secret storage cannot be listed

export class Keys {
  constructor(private readonly context: ExtensionContext) {}

  /** By variable. Read only for the process that is about to start. */
  async all(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    await Promise.all(this.names().map(async (name) => {
      const value = await this.context.secrets.get(prefix + name);
      if (value) found.set(name, value);
    }));
    return found;
  }

  /** A key was set or removed, in this window or another one. */
  onChange(changed: () => void): Disposable {
    return this.context.secrets.onDidChange((e) => {
      if (e.key.startsWith(prefix)) changed();
    });
  }

  /** Asks for one. The provider of the model in use is offered first: a refused key is its. */
  async set(model: string): Promise<string | undefined> {
    const variable = await this.chooseVariable(l10n.t('Which provider is this key for?'), model);
    if (!variable) return undefined;
    const value = await window.showInputBox({
      title: l10n.t('Agent: Set API Key'), prompt: l10n.t('The key for {0}. It is stored in the editor’s secret storage and passed to the sidecar as {0}.', variable),
      password: true, ignoreFocusOut: true,
      validateInput: (text) => (isKey(text.trim()) ? undefined : l10n.t('API keys contain only ASCII characters and no spaces.')),
    });
    if (!value?.trim()) return undefined;
    await this.context.globalState.update(ownNames, [...new Set([...this.own(), ...(known(variable) ? [] : [variable])])]);
    await this.context.secrets.store(prefix + variable, value.trim());
    return variable;
  }

  async remove(): Promise<void> {
    const set = [...(await this.all()).keys()].sort();
    if (set.length === 0) {
      void window.showInformationMessage(l10n.t('No API key is stored here.'));
      return;
    }
    const variable = await window.showQuickPick(set, { title: l10n.t('Agent: Remove API Key') });
    if (!variable) return;
    await this.context.secrets.delete(prefix + variable);
    await this.context.globalState.update(ownNames, this.own().filter((name) => name !== variable));
  }

  private own(): string[] {
    return this.context.globalState.get<string[]>(ownNames, []).filter(isKeyName);
  }

  private names(): string[] {
    return [...new Set([...providers.flatMap((p) => p.variables), ...this.own()])];
  }

  private async chooseVariable(title: string, model: string): Promise<string | undefined> {
    const set = await this.all();
    const items: (QuickPickItem & { provider?: Provider })[] = byUse(providers.filter((p) => p.variables.length > 0), model).map((provider) => ({
      label: provider.label, description: provider.variables[0], provider,
      detail: provider.variables.some((v) => set.has(v)) ? l10n.t('has a key') : undefined,
    }));
    items.push({ label: l10n.t('Another variable…'), description: l10n.t('for your own provider, as its apiKeyEnv names it') });
    const answer = await window.showQuickPick(items, { title, matchOnDescription: true, ignoreFocusOut: true });
    if (!answer) return undefined;
    if (answer.provider) return answer.provider.variables[0];
    return window.showInputBox({
      title, prompt: l10n.t('The name of the variable'), ignoreFocusOut: true,
      validateInput: (name) => (isKeyName(name) ? undefined : l10n.t('Use only letters, digits and _, and include KEY, TOKEN, SECRET, PASSWORD or CREDENTIAL: the agent’s commands do not see such variables.')),
    });
  }
}

/** Whose key a variable has: a known service, or a provider of the configuration that names it. */
export async function providerOf(sidecar: Pick<Sidecar, 'request'>, variable: string): Promise<string | undefined> {
  const service = providers.find((p) => p.variables.includes(variable));
  if (service) return service.name;
  const status = await sidecar.request('agent/status', {});
  return status.providers.find((p) => p.keyEnv.includes(variable))?.name;
}

function known(variable: string): boolean {
  return providers.some((p) => p.variables.includes(variable));
}
