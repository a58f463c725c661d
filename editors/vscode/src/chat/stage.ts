// Where the chat is shown: in its view in a side bar, or in a tab of the editor. Both hold one
// page; the chat does not know which of them it is in.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { elsewhere, html } from './html';

export const viewId = 'agentSidecar.chat';
export const tabType = 'agentSidecar.chatTab';

export interface Stage {
  readonly webview: vscode.Webview;
  readonly visible: boolean;
  reveal(): Thenable<unknown>;
  /** What is shown is called so; '' where it has no name. */
  name(title: string): void;
  badge(badge: vscode.ViewBadge | undefined): void;
  readonly onVisible: vscode.Event<unknown>;
  readonly onGone: vscode.Event<unknown>;
}

export function inView(view: vscode.WebviewView): Stage {
  return {
    webview: view.webview,
    get visible() { return view.visible; },
    reveal: () => vscode.commands.executeCommand(`${viewId}.focus`),
    name: (title) => { view.title = title || undefined; }, // its own name
    badge: (badge) => { view.badge = badge; },
    onVisible: view.onDidChangeVisibility, onGone: view.onDidDispose,
  };
}

/** A tab has no badge: the status bar says that something waits. */
export function inTab(panel: vscode.WebviewPanel): Stage {
  return {
    webview: panel.webview,
    get visible() { return panel.visible; },
    reveal: async () => panel.reveal(),
    name: (title) => { panel.title = title || vscode.l10n.t('Agent'); },
    badge: () => {},
    onVisible: panel.onDidChangeViewState, onGone: panel.onDidDispose,
  };
}

const root = (extension: vscode.Uri) => vscode.Uri.joinPath(extension, 'dist', 'page');

/** Loads the page of the chat. */
export function load(webview: vscode.Webview, extension: vscode.Uri): void {
  const at = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(root(extension), file)).toString();
  webview.options = { enableScripts: true, enableCommandUris: false, enableForms: false, localResourceRoots: [root(extension)] };
  webview.html = html({
    nonce: randomBytes(18).toString('base64url'), cspSource: webview.cspSource,
    script: at('chat.js'), styles: [at('codicon.css'), at('chat.css')], lang: vscode.env.language, title: 'agent-sidecar',
  });
}

/** Says where the chat is, with the way to bring it back. */
export function pointElsewhere(webview: vscode.Webview, extension: vscode.Uri): void {
  const command = 'agentSidecar.chatToSideBar';
  webview.options = { enableScripts: false, enableCommandUris: [command], enableForms: false, localResourceRoots: [root(extension)] };
  webview.html = elsewhere({
    cspSource: webview.cspSource, styles: [webview.asWebviewUri(vscode.Uri.joinPath(root(extension), 'chat.css')).toString()], lang: vscode.env.language,
    text: vscode.l10n.t('The chat is open in an editor tab.'), command, action: vscode.l10n.t('Move it back here'),
  });
}
