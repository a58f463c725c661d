// What was spent, as the page in Markdown that the sidecar makes of it.
import { commands, l10n, type QuickPickItem, window, workspace } from 'vscode';
import type { SidecarProcess } from '../sidecar/sidecar';

export async function showUsage(sidecar: SidecarProcess): Promise<void> {
  const items: (QuickPickItem & { by: string })[] = [
    { label: l10n.t('By day'), by: 'day' },
    { label: l10n.t('By model'), by: 'model' },
    { label: l10n.t('By session'), by: 'session' },
  ];
  const answer = await window.showQuickPick(items, { title: l10n.t('Agent: Usage of This Month') });
  if (!answer) return;
  const { text } = await sidecar.request('agent/usage', { by: answer.by });
  const document = await workspace.openTextDocument({ language: 'markdown', content: text });
  await commands.executeCommand('markdown.showPreview', document.uri);
}
