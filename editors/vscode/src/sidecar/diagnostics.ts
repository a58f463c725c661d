// Tells the sidecar what the editor finds wrong, so that the result of an edit can name
// the errors that the edit made (agent/diagnostics). Whole lists, a moment after the last
// change, for every file that is checked; `checked` knows which are.
import { type Diagnostic, DiagnosticSeverity, type Disposable, languages, type Uri, workspace } from 'vscode';
import type { DiagnosticsParams } from '../protocol';
import { Checked } from './checked';
import type { SidecarProcess } from './sidecar';

const quietMs = 75; // checkers report in several pieces; the sidecar waits up to 3 s

export function sendDiagnostics(sidecar: SidecarProcess): Disposable {
  const waiting = new Map<string, { uri: Uri; version: number | undefined; timer: NodeJS.Timeout }>();
  const versionOf = (uri: Uri) => workspace.textDocuments.find((d) => d.uri.toString() === uri.toString())?.version;
  const checked = new Checked();
  const send = (uri: Uri, version: number | undefined) => {
    const spelling = sidecar.spelling;
    if (!spelling) return;
    const list = languages.getDiagnostics(uri);
    const others = list.filter(foreign).length;
    if (!checked.tells(uri.toString(), { foreign: others, own: list.length - others }, workspace.getWorkspaceFolder(uri) !== undefined)) return;
    sidecar.notify('agent/diagnostics', paramsOf(spelling.asUri(uri), version, list));
  };
  const changed = languages.onDidChangeDiagnostics(({ uris }) => {
    for (const uri of uris) {
      if (uri.scheme !== 'file') continue;
      const key = uri.toString();
      const before = waiting.get(key);
      if (before) clearTimeout(before.timer);
      const version = versionOf(uri); // what was checked, not what is there when it is sent
      waiting.set(key, { uri, version, timer: setTimeout(() => {
        waiting.delete(key);
        send(uri, version);
      }, quietMs) });
    }
  });
  // A new process knows nothing: it is told which files are checked at all.
  const started = sidecar.onState((state) => {
    if (state !== 'running') return;
    checked.forget();
    for (const [uri, list] of languages.getDiagnostics()) {
      if (uri.scheme === 'file' && list.some(foreign)) send(uri, versionOf(uri));
    }
  });
  return { dispose() {
    changed.dispose();
    started.dispose();
    for (const { timer } of waiting.values()) clearTimeout(timer);
  } };
}

/** Not one of the sidecar's own, which it put there to ask something. */
function foreign(d: Diagnostic): boolean {
  return d.source !== 'agent' && d.source !== 'agent-sidecar';
}

export function paramsOf(uri: string, version: number | undefined, list: readonly Diagnostic[]): DiagnosticsParams {
  const severity = { [DiagnosticSeverity.Error]: 1, [DiagnosticSeverity.Warning]: 2, [DiagnosticSeverity.Information]: 3, [DiagnosticSeverity.Hint]: 4 };
  return {
    uri,
    ...(version === undefined ? {} : { version }),
    diagnostics: list.filter(foreign).map((d) => ({
      range: { start: { line: d.range.start.line, character: d.range.start.character }, end: { line: d.range.end.line, character: d.range.end.character } },
      severity: severity[d.severity],
      message: d.message,
      ...(d.source ? { source: d.source } : {}),
      ...(codeOf(d) === undefined ? {} : { code: codeOf(d) }),
    })),
  };
}

function codeOf(d: Diagnostic): string | number | undefined {
  return typeof d.code === 'object' ? d.code.value : d.code;
}
