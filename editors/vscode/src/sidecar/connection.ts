// One process and the language client that talks to it. This is the only file that
// loads vscode-languageclient, which is large: it is imported when a process is needed.
import { type ChildProcess, spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { type CancellationToken, type LogOutputChannel, type Uri, window } from 'vscode';
import {
  CloseAction, ErrorAction, type InitializeResult, LanguageClient, type Middleware, RevealOutputChannelOn, State, type StaticFeature,
} from 'vscode-languageclient/node';
import { type AgentCapabilities, type AgentEvent, type ClientToolParams, Commands, type SemanticParams } from '../protocol';
import { plain } from '../text/plain';
import { declaredTools, runTool } from './editortools';
import type { Declared } from './hosttools';
import { semantic, semanticKinds } from './semantic';

/** What a connection needs and tells; `sidecar.ts` gives it. */
export interface Host {
  output: LogOutputChannel;
  trace: LogOutputChannel;
  /** Asked before each start, also before one after a crash. */
  command(): Promise<{ path: string; args: string[]; env: Record<string, string> }>;
  initializationOptions(): unknown;
  onRunning(capabilities: AgentCapabilities | undefined): void;
  onEvent(event: AgentEvent): void;
  onReload(uri: string): void;
  readonly hooks: Hooks;
  /** The process is gone and nobody had stopped it; says whether it is started again. */
  onCrash(): boolean;
  /** No process has come of a start. */
  onNoProcess(why: string): void;
  /** The process runs and says nothing. */
  onSilent(): void;
}

/** What has not answered by then is not the sidecar, or hangs. */
const silentMs = 60_000;

/** Declares the marker: events and their approvals, answered with `agent/approve`, and tools as they are at each start. */
const marker = (tools: () => Declared): StaticFeature => ({
  fillClientCapabilities(capabilities) {
    const agentSidecar = {
      versions: [1], events: {}, approvals: { editInput: {} }, questions: {}, semantic: semanticKinds, tools: [...tools().values()].map(({ as }) => as),
    };
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), agentSidecar };
    // The chat and the status bar show progress; a toast for every run would only hide them.
    capabilities.window = { ...capabilities.window, workDoneProgress: false };
  },
  initialize() {},
  getState: () => ({ kind: 'static' }),
  clear() {},
});

/** What the rooms do better than the language client: they know the diff editor, and read on where an answer ends. */
export interface Hooks {
  /** Shows the question of `agent-sidecar.reviewDiff`; false: it is none that is open here. */
  review?(args: readonly unknown[]): Promise<boolean>;
  /** The text of an `agent-artifact:` document. */
  artifact?(uri: Uri, token: CancellationToken): Promise<string>;
}

/** Says in the output what goes wrong; what a person has to know is told by problems.ts. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Connection {
  private readonly client: LanguageClient;
  private process: ChildProcess | undefined;
  private said = ''; // the end of what the process has written to stderr
  private exit: Promise<string> | undefined;
  private silent: NodeJS.Timeout | undefined;
  private tools: Declared = new Map(); // as the process was told
  /** Whoever waits for an answer. */
  private readonly waiting = new Set<(error: Error) => void>();

  constructor(private readonly host: Host) {
    this.client = new QuietClient('agentSidecar', 'agent-sidecar', () => this.spawn(), {
      documentSelector: ['file', 'agent-artifact', 'agent-diff'].map((scheme) => ({ scheme })),
      diagnosticCollectionName: 'agent-sidecar',
      outputChannel: host.output,
      traceOutputChannel: host.trace,
      // What fails is said where it was asked for: in the chat, or by a message of ours.
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => host.initializationOptions(),
      initializationFailedHandler: () => false,
      markdown: { isTrusted: false, supportHtml: false },
      middleware: middleware(host),
      errorHandler: {
        error: (error, _message, count) => {
          host.output.error(`connection: ${error.message}`);
          return { action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown, handled: true };
        },
        closed: () => {
          this.process = undefined;
          clearTimeout(this.silent);
          return { action: host.onCrash() ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true };
        },
      },
    });
    this.client.registerFeature(marker(() => (this.tools = declaredTools())));
    this.client.onNotification('agent/event', (event: AgentEvent) => host.onEvent(event));
    this.client.onNotification('agent/client/reload', (p: { uri: string }) => host.onReload(p.uri));
    this.client.onRequest('agent/client/semantic', (p: SemanticParams, token: CancellationToken) => semantic(p, token, (uri) => this.spelling.asUri(uri)));
    this.client.onRequest('agent/client/tool', (p: ClientToolParams, token: CancellationToken) => runTool(this.tools, p, token));
    this.client.onDidChangeState(({ newState }) => {
      if (newState !== State.Running) return;
      clearTimeout(this.silent);
      host.onRunning(agentCapabilities(this.client.initializeResult));
    });
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  start(): Promise<void> {
    return this.client.start();
  }

  request(method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      this.client.sendRequest(method, params).then(resolve, reject).finally(() => this.waiting.delete(reject));
    });
  }

  notify(method: string, params: unknown): void {
    this.client.sendNotification(method, params).catch((error) => this.host.output.warn(`${method}: ${String(error)}`));
  }

  /** Why a process that has ended did so, if it has: its last line, or how it ended. */
  async lastWords(): Promise<string | undefined> {
    const how = await Promise.race([this.exit, new Promise<undefined>((resolve) => setTimeout(resolve, 2000))]);
    if (how === undefined) return undefined;
    const line = this.said.trim().split('\n').at(-1)?.trim();
    return line || `exit ${how}`;
  }

  get spelling() {
    return this.client.code2ProtocolConverter;
  }

  /** Ends it in order; what does not leave by itself is killed. */
  async stop(): Promise<void> {
    const process = this.process;
    clearTimeout(this.silent);
    if (this.client.state === State.Starting) {
      // The client cannot stop what has not answered yet, and there is no run to end in order.
      process?.stdin?.end();
      process?.kill();
    } else {
      try {
        if (this.client.state !== State.StartFailed) await this.client.dispose(4000);
      } catch (error) {
        this.host.output.warn(`stop: ${String(error)}`);
      }
    }
    if (process && process.exitCode === null && process.signalCode === null && !(await ended(process, 2000))) process.kill('SIGKILL');
    process?.stdout?.destroy(); // a child of it may hold the pipe, and the client waits for the end of it
    // One that had to be killed leaves them open in the client for ever.
    for (const reject of this.waiting) reject(new Error('the process was stopped'));
  }

  private async spawn(): Promise<ChildProcess> {
    this.exit = undefined;
    this.said = '';
    try {
      return await this.launch();
    } catch (error) {
      this.process = undefined;
      this.host.onNoProcess(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  private async launch(): Promise<ChildProcess> {
    const { path, args, env } = await this.host.command();
    this.host.output.info(`starting ${path} ${args.join(' ')}`);
    const child = spawn(path, args, { env, cwd: homedir(), stdio: 'pipe', windowsHide: true });
    // A write to a process that has just died is no news: its end is told separately.
    child.stdin.on('error', (error) => this.host.output.debug(`stdin: ${error.message}`));
    await new Promise<void>((started, failed) => {
      child.once('spawn', started);
      child.once('error', failed);
    });
    this.process = child;
    this.silent = setTimeout(() => this.host.onSilent(), silentMs);
    child.stderr.on('data', (text) => (this.said = (this.said + String(text)).slice(-2000)));
    this.exit = new Promise((resolve) => child.once('close', (code, signal) => {
      this.host.output.info(`process ${child.pid} ended: ${signal ?? code}`);
      resolve(String(signal ?? code));
    }));
    return child;
  }
}

function ended(process: ChildProcess, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), withinMs);
    process.once('exit', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

function agentCapabilities(result: InitializeResult | undefined): AgentCapabilities | undefined {
  return (result?.capabilities.experimental as { agentSidecar?: AgentCapabilities } | undefined)?.agentSidecar;
}

function middleware(host: Host): Middleware {
  return {
    // An answer from the light bulb or a lens that came too late is said in one line,
    // not as a failed command of the editor.
    executeCommand: async (command, args, next) => {
      try {
        if (command.startsWith(Commands.reviewDiff) && (await host.hooks.review?.(args))) return undefined;
        return await next(command, args);
      } catch (error) {
        host.output.warn(`${command}: ${String(error)}`);
        void window.showWarningMessage(plain(error instanceof Error ? error.message : String(error)));
        return undefined;
      }
    },
    provideTextDocumentContent: (uri, token, next) => (uri.scheme === 'agent-artifact' && host.hooks.artifact ? host.hooks.artifact(uri, token) : next(uri, token)),
  };
}
