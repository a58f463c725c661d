// Which tools of other extensions the agent is offered: a person chooses them from a list.
import { ConfigurationTarget, l10n, type QuickPickItem, window, workspace } from 'vscode';
import { editorTools } from '../sidecar/editortools';
import { chosen, means } from '../sidecar/hosttools';
import { readOptions } from '../sidecar/options';
import { plain } from '../text/plain';

export async function chooseTools(): Promise<void> {
  const listed = editorTools();
  if (listed.length === 0) {
    void window.showInformationMessage(l10n.t('No extension offers tools for language models here.'));
    return;
  }
  const before = readOptions().hostTools;
  const items = listed.map((tool): QuickPickItem & { name: string } => ({
    name: tool.name, label: plain(tool.name, 100), detail: plain(tool.description, 300), picked: before.some((pattern) => means(pattern, tool.name)),
  }));
  const picked = await window.showQuickPick(items, {
    title: l10n.t('Agent: Choose Editor Tools'), placeHolder: l10n.t('The agent asks before each call. Sessions that have begun keep the tools they have.'),
    canPickMany: true, ignoreFocusOut: true, matchOnDetail: true,
  });
  if (!picked) return;
  const after = chosen(before, listed, picked.map(({ name }) => name));
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  await workspace.getConfiguration('agentSidecar').update('hostTools', after, ConfigurationTarget.Global);
  window.setStatusBarMessage(l10n.t('The sidecar restarts to offer these tools.'), 5000);
}
