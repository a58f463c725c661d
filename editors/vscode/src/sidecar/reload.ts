// A file that is open here, and was not changed here, was changed on the disk by the
// sidecar (agent/client/reload). Editors reload such files when their watcher reports
// them, which it does not for what `files.watcherExclude` hides. A watcher on the folder
// itself gets those reports too, so each folder with an open file has one. Where not even
// that reports (some network drives), the active editor is reverted, but only when
// nothing at all is unsaved: the command takes no argument, so it must have nothing to lose.
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { commands, type Disposable, type FileSystemWatcher, RelativePattern, TabInputText, type TextDocument, Uri, window, workspace } from 'vscode';
import type { SidecarProcess } from './sidecar';

const watcherMs = 1000; // how long the editor may take to reload by itself

export function reloadChanged(sidecar: SidecarProcess): Disposable {
  const watchers = new Map<string, FileSystemWatcher>();
  const timers = new Map<string, NodeJS.Timeout>();
  const watch = () => {
    const dirs = new Set(workspace.textDocuments.filter((d) => d.uri.scheme === 'file' && !d.isClosed).map((d) => dirname(d.uri.fsPath)));
    for (const dir of dirs) {
      if (!watchers.has(dir)) watchers.set(dir, workspace.createFileSystemWatcher(new RelativePattern(Uri.file(dir), '*'), true, false, true));
    }
    for (const [dir, watcher] of watchers) {
      if (dirs.has(dir)) continue;
      watcher.dispose();
      watchers.delete(dir);
    }
  };
  watch();
  const heard = [
    workspace.onDidOpenTextDocument(watch),
    workspace.onDidCloseTextDocument(watch),
    sidecar.onReload.event((uri) => {
      const document = workspace.textDocuments.find((d) => (sidecar.spelling?.asUri(d.uri) ?? d.uri.toString()) === uri);
      if (!document) return;
      clearTimeout(timers.get(uri));
      timers.set(uri, setTimeout(() => {
        timers.delete(uri);
        void revert(document, sidecar).catch((error) => sidecar.output.warn(`reload ${uri}: ${String(error)}`));
      }, watcherMs));
    }),
  ];
  return { dispose() {
    for (const h of heard) h.dispose();
    for (const timer of timers.values()) clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.dispose();
  } };
}

async function revert(document: TextDocument, sidecar: SidecarProcess): Promise<void> {
  if (document.isClosed || document.isDirty || !(await differs(document))) return;
  const tab = window.tabGroups.activeTabGroup.activeTab;
  const active = tab?.input instanceof TabInputText && tab.input.uri.toString() === document.uri.toString();
  // What is not shown is read anew when it is shown.
  const unsaved = window.tabGroups.all.some((group) => group.tabs.some((t) => t.isDirty));
  if (active && !unsaved && !document.isDirty) {
    await commands.executeCommand('workbench.action.files.revert');
    return;
  }
  sidecar.output.info(`${document.uri.fsPath} was changed on the disk and is not shown anew`);
}

/** Whether the disk has another text. Line ends are the editor's own matter. */
async function differs(document: TextDocument): Promise<boolean> {
  const same = (text: string) => text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  return same(await readFile(document.uri.fsPath, 'utf8')) !== same(document.getText());
}
