// The sidecar as the rest of the extension sees it: one process for this window, started
// when the window has come up, started again when it dies, and given up when it dies too
// often. It knows no session and decides nothing.
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { type Disposable, EventEmitter, type ExtensionContext, l10n, type LogOutputChannel, window, workspace } from 'vscode';
import type { AgentCapabilities, AgentEvent, ConfigChanged, Notifications, Requests } from '../protocol';
import { Sessions } from './activity';
import { type Sidecar, type SidecarState, Unavailable } from './api';
import { type Found, findBinary } from './binary';
import type { Connection, Hooks } from './connection';
import { Crashes } from './crashes';
import { environmentOf, KeysGiven } from './environment';
import { Known } from './known';
import { configurationOf, initializationOptions, type Options, readOptions, startSettings } from './options';
import { traceChannel } from './trace';

/** Codes of the language client itself: not written, not read, no connection. */
const lost = new Set([-32099, -32098, -32097, -32096]);

const modeKey = 'agents.runtime.mode.default';

export class SidecarProcess implements Sidecar {
  readonly output: LogOutputChannel = window.createOutputChannel('agent-sidecar', { log: true });
  readonly sessions = new Sessions();
  /** The sessions in which something ran when a process died; `resume.ts` goes on with them. */
  readonly onInterrupted = new EventEmitter<string[]>();
  readonly onReload = new EventEmitter<string>();
  /** Which models, agents and runners there are, how a runner is, or in which mode sessions begin, has changed while the process runs. */
  readonly onCapabilities = new EventEmitter<void>();
  /** What the rooms do for the language client. */
  readonly hooks: Hooks = {};
  /** Why no process runs, after `missing` or `failed`. */
  problem: { found?: Found; message?: string } = {};

  private readonly states = new EventEmitter<SidecarState>();
  private readonly events = new EventEmitter<AgentEvent>();
  private readonly crashes = new Crashes();
  private readonly trace = traceChannel();
  private readonly disposables: Disposable[] = [];
  private connection: Connection | undefined;
  private current: SidecarState = 'stopped';
  private readonly known = new Known();
  private turn: Promise<void> = Promise.resolve(); // starts and stops, one after the other
  private interrupted: string[] = [];
  private saidTrusted = false;
  private startedWith = '';
  private readonly given = new KeysGiven();
  private waitingForIdle: Disposable | undefined;

  constructor(private readonly context: ExtensionContext, private readonly keys: () => Promise<ReadonlyMap<string, string>>) {
    this.disposables.push(
      this.output, this.trace, this.states, this.events, this.onInterrupted, this.onReload, this.onCapabilities,
      workspace.onDidChangeConfiguration((e) => {
        // A folder may name settings that it cannot change: only what is different counts.
        if (startSettings.some((key) => e.affectsConfiguration(key)) && startOf(readOptions()) !== this.startedWith) this.restartWhenIdle();
        else if (e.affectsConfiguration('agentSidecar.configuration')) this.configure();
      }),
      workspace.onDidGrantWorkspaceTrust(() => this.configure()),
    );
  }

  get state(): SidecarState {
    return this.current;
  }
  get onState() {
    return this.states.event;
  }
  get capabilities() {
    return this.known.capabilities;
  }
  /** The model of new sessions, '' where none is set. */
  get model(): string {
    return this.known.model;
  }
  /** The mode of new sessions; undefined where that is not known. */
  get mode(): string | undefined {
    return this.known.mode;
  }
  /** The machines beside this one that sessions can work on. */
  get runners() {
    return this.known.runners;
  }
  get onEvent() {
    return this.events.event;
  }
  get pid(): number | undefined {
    return this.connection?.pid;
  }

  start(): Promise<void> {
    return this.next(async () => {
      if (!this.connection) await this.begin();
    });
  }

  restart(): Promise<void> {
    this.waitingForIdle?.dispose();
    this.waitingForIdle = undefined;
    this.crashes.forget();
    void this.giveUp();
    return this.next(async () => {
      await this.end();
      await this.begin();
    });
  }

  /** For what acts only at a start: at once, or when the last run has ended and no prompt waits. */
  restartWhenIdle(): void {
    if (this.current === 'running' && this.sessions.busy()) {
      this.waitingForIdle ??= this.onEvent(() => {
        if (!this.sessions.busy()) void this.restart();
      });
      return;
    }
    void this.restart();
  }

  /**
   * A key may have changed: starts again for it, once, whoever says so. Resolves when the
   * process has had its start with the keys; false where a run has to end first.
   */
  async keysChanged(): Promise<boolean> {
    if (this.given.take(await this.keys())) this.restartWhenIdle();
    if (this.waitingForIdle) return false;
    await this.turn;
    return true;
  }

  async request<M extends keyof Requests>(method: M, params: Requests[M]['params']): Promise<Requests[M]['result']> {
    if (this.current === 'starting' || this.current === 'restarting') await this.settled();
    const connection = this.connection;
    if (!connection || this.current !== 'running') throw new Unavailable(this.current);
    try {
      const result = (await connection.request(method, params)) as Requests[M]['result'];
      if (method === 'agent/config' && (params as Requests['agent/config']['params']).op !== 'get') void this.learn(connection);
      return result;
    } catch (error) {
      // The process died under the request. Whether it was carried out is not known.
      if (lost.has((error as { code?: number }).code ?? 0) || this.connection !== connection) throw new Unavailable(String(error));
      throw error;
    }
  }

  /** Somebody has written the configuration: here, in another editor or by hand. */
  private configured(connection: Connection, changed: ConfigChanged): void {
    if (!this.known.changed(changed)) return;
    this.onCapabilities.fire();
    void this.learn(connection);
  }

  /** What a configuration that was written brings beside its models. */
  private async learn(connection: Connection): Promise<void> {
    try {
      const [{ models, agents }, { sandbox, runners }] = (await Promise.all([connection.request('agent/describe', {}), connection.request('agent/status', {})])) as
        [Requests['agent/describe']['result'], Requests['agent/status']['result']];
      if (this.connection !== connection) return;
      this.known.learned({ models, agents, sandbox });
      this.known.runnersAre(runners);
      this.onCapabilities.fire();
      await this.askForMode(connection);
    } catch (error) {
      this.output.warn(`agent/describe: ${String(error)}`);
    }
  }

  private async askForMode(connection: Connection): Promise<void> {
    try {
      const { effective } = (await connection.request('agent/config', { op: 'get', key: modeKey })) as Requests['agent/config']['result'];
      if (this.connection !== connection) return;
      const before = this.mode;
      this.known.modeIs(effective[modeKey]);
      if (this.mode !== before) this.onCapabilities.fire();
    } catch (error) {
      this.output.warn(`agent/config: ${String(error)}`); // an older sidecar has no such key
    }
  }

  private async askForRunners(connection: Connection): Promise<void> {
    try {
      const { runners } = (await connection.request('agent/status', {})) as Requests['agent/status']['result'];
      if (this.connection !== connection) return;
      this.known.runnersAre(runners);
      if (runners) this.onCapabilities.fire();
    } catch (error) {
      this.output.warn(`agent/status: ${String(error)}`);
    }
  }

  notify<M extends keyof Notifications>(method: M, params: Notifications[M]): void {
    if (this.current === 'running') this.connection?.notify(method, params);
  }

  /** How the client spells documents and diagnostics on the wire. */
  get spelling() {
    return this.connection?.spelling;
  }

  async dispose(): Promise<void> {
    this.waitingForIdle?.dispose();
    await this.giveUp();
    await this.next(() => this.end());
    for (const d of this.disposables) d.dispose();
  }

  private next(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error) => this.output.error(String(error)));
    return this.turn;
  }

  /** What is to happen next waits for a start, which may never come to anything: a program that hangs, or is another one. */
  private async giveUp(): Promise<void> {
    if (this.current !== 'starting') return;
    const connection = this.connection;
    this.connection = undefined;
    await connection?.stop();
  }

  /** Waits until a start has come to something. */
  private settled(): Promise<void> {
    return new Promise((resolve) => {
      const heard = this.onState((state) => {
        if (state === 'starting' || state === 'restarting') return;
        heard.dispose();
        resolve();
      });
    });
  }

  private async begin(): Promise<void> {
    this.problem = {};
    this.startedWith = startOf(readOptions());
    const found = this.find();
    if (found.path === undefined) {
      this.problem = { found };
      this.become('missing');
      return;
    }
    this.become('starting');
    const { Connection } = await import('./connection');
    const connection = new Connection({
      output: this.output,
      trace: this.trace,
      hooks: this.hooks,
      command: () => this.command(),
      initializationOptions: () => initializationOptions(readOptions(), (this.saidTrusted = workspace.isTrusted)),
      onRunning: (capabilities) => {
        if (this.connection === connection) this.running(capabilities);
      },
      onEvent: (event) => {
        if (this.connection !== connection) return;
        if (event.type === 'config.changed') return this.configured(connection, event.data);
        if (event.type === 'runner.changed') {
          if (this.known.runnerChanged(event.data)) this.onCapabilities.fire();
          else void this.askForRunners(connection);
          return;
        }
        this.sessions.add(event);
        this.events.fire(event);
      },
      onReload: (uri) => this.onReload.fire(uri),
      onCrash: () => this.crashed(connection),
      onNoProcess: (why) => {
        // Of the first start `begin` says it, below.
        if (this.connection === connection && this.current === 'restarting') this.cannotStart(why);
      },
      onSilent: () => {
        if (this.connection !== connection) return;
        this.cannotStart(l10n.t('It runs, but has not answered for a minute.'));
        void connection.stop();
      },
    });
    this.connection = connection;
    let problem = '';
    try {
      await connection.start();
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    // The client also comes back without an error from a start that came to nothing.
    if (this.connection !== connection || this.current !== 'starting') return;
    const why = (await connection.lastWords()) ?? problem;
    if (this.connection === connection && this.current === 'starting') this.fail(why);
    await connection.stop();
  }

  private async end(): Promise<void> {
    const connection = this.connection;
    this.connection = undefined;
    this.known.begin(undefined);
    this.sessions.processEnded();
    if (connection) await connection.stop();
    this.become('stopped');
  }

  private running(capabilities: AgentCapabilities | undefined): void {
    this.known.begin(capabilities);
    this.output.info(`process ${this.pid} runs`);
    this.become('running');
    if (this.connection) {
      void this.askForRunners(this.connection);
      void this.askForMode(this.connection);
    }
    if (!this.saidTrusted && workspace.isTrusted) this.configure(); // given while it started
    const left = this.interrupted;
    this.interrupted = [];
    if (left.length > 0) this.onInterrupted.fire(left);
  }

  private crashed(connection: Connection): boolean {
    // One that does not even answer `initialize` will not do so the next time.
    if (this.connection !== connection || this.current === 'starting') return false;
    this.known.begin(undefined);
    this.interrupted = [...new Set([...this.interrupted, ...this.sessions.running()])];
    this.sessions.processEnded();
    if (this.crashes.again()) {
      this.become('restarting');
      return true;
    }
    this.fail('');
    return false;
  }

  private cannotStart(why: string): void {
    const found = this.find();
    if (found.path !== undefined) return this.fail(why);
    this.connection = undefined;
    this.problem = { found };
    this.become('missing');
  }

  private fail(message: string): void {
    this.output.error(message || 'the process ended too often');
    this.problem = { message };
    this.connection = undefined;
    this.become('failed');
  }

  private become(state: SidecarState): void {
    if (state === this.current) return;
    this.current = state;
    this.states.fire(state);
  }

  private configure(): void {
    if (this.current === 'running') this.connection?.notify('workspace/didChangeConfiguration', configurationOf(readOptions(), workspace.isTrusted));
  }

  /** Where the binary is now. */
  find(options: Options = readOptions()): Found {
    return findBinary({
      setting: options.path, extensionPath: this.context.extensionPath, home: homedir(),
      pathVariable: process.env.PATH ?? process.env.Path ?? '', platform: process.platform, isExecutable,
    });
  }

  private async command() {
    const options = readOptions();
    const found = this.find(options);
    if (found.path === undefined) throw new Error(`no binary: ${found.tried[0]}`);
    const keys = await this.keys();
    this.given.take(keys);
    const { env, refused } = environmentOf(process.env, options.environment, keys);
    for (const name of refused) this.output.warn(`agentSidecar.environment: ${name} is left out; keys are given with the command "Agent: Set API Key"`);
    return { path: found.path, args: options.args, env };
  }
}

/** What acts only when a process begins, to compare. */
function startOf({ path, args, environment, surfaces, hostTools }: Options): string {
  return JSON.stringify([path, args, environment, surfaces, hostTools]);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
