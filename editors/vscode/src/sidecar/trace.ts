// The channel that `agentSidecar.trace.server` writes to. The language client traces
// only where a channel's own log level is Trace, which a person would have to set in
// another place; here the setting is that level.
import { type Disposable, EventEmitter, LogLevel, type LogOutputChannel, type OutputChannel, window, workspace } from 'vscode';

export function traceChannel(): LogOutputChannel & Disposable {
  const name = 'agent-sidecar (trace)';
  let channel: OutputChannel | undefined;
  const open = () => (channel ??= window.createOutputChannel(name));
  const level = () => (workspace.getConfiguration('agentSidecar').get('trace.server') === 'off' ? LogLevel.Info : LogLevel.Trace);
  const levelChanged = new EventEmitter<LogLevel>();
  const heard = workspace.onDidChangeConfiguration((e) => {
    if (e.affectsConfiguration('agentSidecar.trace.server')) levelChanged.fire(level());
  });
  const write = (text: string) => {
    if (level() === LogLevel.Trace) open().appendLine(`${new Date().toISOString()} ${text}`);
  };
  return {
    name,
    get logLevel() {
      return level();
    },
    onDidChangeLogLevel: levelChanged.event,
    trace: write, debug: write, info: write, warn: write,
    error: (error: string | Error) => write(String(error)),
    append: write, appendLine: write,
    replace: (text: string) => open().replace(text),
    clear: () => channel?.clear(),
    show: () => open().show(true),
    hide: () => channel?.hide(),
    dispose: () => {
      heard.dispose();
      levelChanged.dispose();
      channel?.dispose();
    },
  };
}
