// The settings page as an editor tab. It reads and writes the user's configuration through
// agent/config and keeps nothing.
import { randomBytes } from 'node:crypto';
import { commands, env, type ExtensionContext, l10n, Uri, ViewColumn, type Webview, type WebviewPanel, window } from 'vscode';
import { problemText } from '../sidecar/problems';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';
import { removeRule, rowsOf, setUpOf, signInOrOut } from './rules';
import { settingsStrings } from './strings';
import { type FromSettings, type Shown, type ToSettings, understood, writable } from './words';

let open: WebviewPanel | undefined;
let shownAt: 'rules' | undefined; // where the page begins when it is shown next
let shows = () => {};

export function openSettings(context: ExtensionContext, sidecar: SidecarProcess, at?: 'rules'): void {
  shownAt = at;
  if (open) {
    if (open.visible) shows();
    else open.reveal();
    return;
  }
  const root = Uri.joinPath(context.extensionUri, 'dist', 'page');
  const panel = (open = window.createWebviewPanel('agentSidecar.settings', l10n.t('Agent Settings'), ViewColumn.Active, {
    enableScripts: true, enableCommandUris: false, enableForms: false, localResourceRoots: [root],
  }));
  panel.iconPath = { light: Uri.joinPath(context.extensionUri, 'media', 'agent-light.svg'), dark: Uri.joinPath(context.extensionUri, 'media', 'agent-dark.svg') };
  const say = (message: ToSettings) => void panel.webview.postMessage(message);
  const show = async () => {
    try {
      const shown = await read(sidecar);
      const where = shownAt;
      shownAt = undefined;
      say({ type: 'show', strings: settingsStrings(), shown, ...(where && { at: where }) });
    } catch (error) {
      say({ type: 'unavailable', strings: settingsStrings(), message: problemText(sidecar) ?? plain(messageOf(error), 1000) });
    }
  };
  shows = () => void show();
  const heard = [
    panel.webview.onDidReceiveMessage((raw: unknown) => {
      const message = understood(raw);
      if (!message) sidecar.output.warn('the settings page said something that is not known');
      else if (message.type === 'ready') void show();
      else if (message.type === 'command') void commands.executeCommand(`agentSidecar.${message.command}`);
      else if (message.type === 'removeRule') void done(sidecar, message.id, removeRule(sidecar, message.rule)).then((said) => said && say(said));
      else if (message.type === 'sign') void done(sidecar, message.id, signInOrOut(sidecar, message.sign)).then((said) => said && say(said));
      else void write(sidecar, message).then(say);
    }),
    sidecar.onState(() => void show()),
    sidecar.onCapabilities.event(() => void show()), // the file was written, by whoever
    // An older sidecar does not say so.
    panel.onDidChangeViewState(() => {
      if (panel.visible) void show();
    }),
  ];
  panel.onDidDispose(() => {
    open = undefined;
    for (const h of heard) h.dispose();
  });
  panel.webview.html = html(panel.webview, root);
}

async function write(sidecar: SidecarProcess, message: Extract<FromSettings, { type: 'set' | 'reset' }>): Promise<ToSettings> {
  try {
    await sidecar.request('agent/config', { op: message.type, key: message.key, ...(message.type === 'set' ? { value: message.value } : {}) });
    return { type: 'written', id: message.id, shown: await read(sidecar) };
  } catch (error) {
    return { type: 'written', id: message.id, error: plain(messageOf(error), 1000) };
  }
}

/** What is said to the page when something that it asked for is done; nothing where the person did not want it. */
async function done(sidecar: SidecarProcess, id: number, doing: Promise<boolean>): Promise<ToSettings | undefined> {
  try {
    if (!await doing) return undefined;
    return { type: 'written', id, shown: await read(sidecar) };
  } catch (error) {
    return { type: 'written', id, error: plain(messageOf(error), 1000) };
  }
}

async function read(sidecar: SidecarProcess): Promise<Shown> {
  const servers = sidecar.request('agent/mcp', { op: 'list' }).then((r) => r.servers, () => []); // an older sidecar does not know it
  const [config, about, rules] = await Promise.all([sidecar.request('agent/config', { op: 'get' }), sidecar.request('agent/describe', {}), sidecar.request('agent/rules', { op: 'list' })]);
  const values = Object.fromEntries(writable.map((key) => [key, { value: config.effective[key], source: config.sources[key]?.source ?? 'default' }]));
  return {
    values,
    models: about.models,
    defaultPrompt: about.defaults.systemPrompt,
    rules: rowsOf(rules),
    setUp: setUpOf(config.effective, about.agents, await servers),
    problems: config.diagnostics.map((d) => (d.line ? `${d.line}:${d.column ?? 1}: ${d.message}` : d.message)),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function html(webview: Webview, root: Uri): string {
  const nonce = randomBytes(18).toString('base64url');
  const file = (name: string) => webview.asWebviewUri(Uri.joinPath(root, name)).toString();
  return `<!DOCTYPE html>
<html lang="${env.language.replace(/[^A-Za-z-]/g, '')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${l10n.t('Agent Settings')}</title>
<link rel="stylesheet" href="${file('settings.css')}">
</head>
<body>
<main id="root"></main>
<div id="status" role="status" aria-live="polite"></div>
<script nonce="${nonce}" src="${file('settings.js')}"></script>
</body>
</html>`;
}
