// The chat, in its view or in a tab of the editor. Its page is the program of src/page; here it gets its document, the
// events, the answers to what it asks, and what the editor does for it.
//
// The page is kept while the view is hidden: the pieces of an answer that is being written
// are sent once and cannot be read again.
import * as vscode from 'vscode';
import type { AgentEvent, Session } from '../protocol';
import { current } from '../sessions/current';
import { Follower, sleep } from '../sessions/follow';
import { failure } from '../sidecar/failure';
import { problemText } from '../sidecar/problems';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';
import { Batch } from './batch';
import type { PageState, SidecarView, ToPage } from './messages';
import { fromPage, idOf } from './read';
import { relay, type Answer, type Around } from './relay';
import { inTab, inView, load, pointElsewhere, tabType, viewId, type Stage } from './stage';
import { Kept } from './state';
import { watchWhereabouts, whereabouts } from './whereabouts';

export class ChatView implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer, vscode.Disposable {
  /** Where the page is. */
  private view: Stage | undefined;
  private sideBar: vscode.WebviewView | undefined;
  private tab: vscode.WebviewPanel | undefined;
  private ready = false;
  /** For the page, said before it was there. */
  private early: ToPage[] = [];
  private readonly kept: Kept;
  private readonly batch = new Batch<AgentEvent>((events) => this.view?.webview.postMessage({ type: 'events', events } satisfies ToPage));
  private readonly visibility = new vscode.EventEmitter<boolean>();
  readonly onVisible = this.visibility.event;
  private readonly shown = new vscode.EventEmitter<string>();
  /** The page shows this session: told when it has opened it, and each time that it keeps its state. */
  readonly onShown = this.shown.event;
  private readonly disposables: vscode.Disposable[] = [this.visibility, this.shown, this.batch];
  private readonly follower: Follower;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly sidecar: SidecarProcess,
    private readonly perform: (action: Parameters<typeof import('./actions').perform>[2]) => Promise<unknown>,
    private readonly held: NonNullable<Around['held']>,
  ) {
    this.kept = new Kept(context.workspaceState);
    current.id = this.kept.state?.sessionId ?? null;
    this.follower = new Follower({
      read: (params) => sidecar.request('agent/events', params),
      told: (_, events) => this.events(events),
      lockedBy: (sessionId, lockedBy) => this.post({ type: 'following', sessionId, lockedBy }),
      lost: (sessionId) => this.post({ type: 'following', sessionId, lockedBy: null }), // who wants to go on with it is told why not
      sleep, now: Date.now,
    });
    this.disposables.push(
      sidecar.onEvent((e) => this.events([e])),
      sidecar.onState(() => this.post({ type: 'sidecar', sidecar: this.sidecarView() })),
      sidecar.onCapabilities.event(() => this.post({ type: 'sidecar', sidecar: this.sidecarView() })),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.post({ type: 'sidecar', sidecar: this.sidecarView() })),
      watchWhereabouts((w) => this.post({ type: 'whereabouts', whereabouts: w })),
      { dispose: () => this.follower.stop() },
    );
  }

  get visible(): boolean {
    return this.view?.visible === true;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.sideBar = view;
    view.onDidDispose(() => {
      if (this.sideBar === view) this.sideBar = undefined;
    });
    if (this.tab) pointElsewhere(view.webview, this.context.extensionUri);
    else this.enter(inView(view));
  }

  /** The tab of a window that was loaded again. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    if (this.tab) panel.dispose();
    else this.takeTab(panel);
  }

  /** Shows the chat in a tab of the editor, in which it stays until that is closed. */
  toTab(): void {
    if (this.tab) return this.tab.reveal();
    this.takeTab(vscode.window.createWebviewPanel(tabType, vscode.l10n.t('Agent'), vscode.ViewColumn.Active, { retainContextWhenHidden: true }));
  }

  private takeTab(panel: vscode.WebviewPanel): void {
    this.tab = panel;
    panel.iconPath = vscode.Uri.joinPath(this.context.extensionUri, 'media', 'agent.svg');
    panel.onDidDispose(() => {
      if (this.tab !== panel) return;
      this.tab = undefined;
      if (this.sideBar) this.enter(inView(this.sideBar));
    });
    this.enter(inTab(panel));
    if (this.sideBar) {
      this.sideBar.badge = undefined;
      this.sideBar.title = undefined;
      pointElsewhere(this.sideBar.webview, this.context.extensionUri);
    }
  }

  async toSideBar(): Promise<void> {
    this.tab?.dispose();
    await vscode.commands.executeCommand(`${viewId}.focus`);
  }

  /** The page begins anew in another place; what it keeps it finds there again. */
  private enter(stage: Stage): void {
    this.view = stage;
    this.ready = false;
    this.batch.clear();
    stage.onVisible(() => {
      if (this.view === stage) this.visibility.fire(stage.visible);
    });
    stage.onGone(() => {
      if (this.view !== stage) return;
      this.view = undefined;
      this.ready = false;
      this.batch.clear();
      this.visibility.fire(false);
    });
    stage.webview.onDidReceiveMessage((m) => {
      if (this.view === stage) void this.hear(m);
    });
    load(stage.webview, this.context.extensionUri);
    this.visibility.fire(stage.visible);
  }

  /** Brings the view to the front, and what is wanted in it. */
  async focus(what?: Extract<ToPage, { type: 'focus' }>['what']): Promise<void> {
    await (this.view ? this.view.reveal() : vscode.commands.executeCommand(`${viewId}.focus`));
    if (what) this.post({ type: 'focus', what }, true);
  }

  async show(sessionId: string | null): Promise<void> {
    this.post({ type: 'show', sessionId }, true);
    await this.focus();
  }

  async compose(text: string, blocks?: Extract<ToPage, { type: 'compose' }>['blocks'], send?: boolean): Promise<void> {
    this.post({ type: 'compose', text, ...(blocks && { blocks }), ...(send && { send }) }, true);
    await this.focus();
  }

  /** Says something to the page; with `keep` also to one that comes later. */
  post(m: ToPage, keep = false): void {
    if (this.view && this.ready) {
      void this.batch.flush(); // what happened before stands before
      void this.view.webview.postMessage(m);
    } else if (keep) this.early.push(m);
  }

  badge(count: number): void {
    const tooltip = count === 1 ? vscode.l10n.t('1 question from the agent') : vscode.l10n.t('{0} questions from the agent', count);
    this.view?.badge(count === 0 ? undefined : { value: count, tooltip });
  }

  private events(events: AgentEvent[]): void {
    if (this.view && this.ready) this.batch.push(...events);
  }

  private sidecarView(): SidecarView {
    const message = problemText(this.sidecar);
    return {
      state: this.sidecar.state, trusted: vscode.workspace.isTrusted,
      ...(this.sidecar.capabilities && { capabilities: this.sidecar.capabilities }),
      ...(this.sidecar.model && { model: this.sidecar.model }),
      ...(this.sidecar.mode !== undefined && { mode: this.sidecar.mode }),
      ...(this.sidecar.runners.length > 0 && { runners: this.sidecar.runners }),
      ...(message !== undefined && { message }),
    };
  }

  private async hear(message: unknown): Promise<void> {
    const m = fromPage(message);
    if (!m) {
      const id = idOf(message);
      if (id !== undefined) this.post({ type: 'answer', id, error: { message: 'refused', kind: 'refused' } });
      return;
    }
    switch (m.type) {
      case 'ready': {
        this.ready = true;
        const { state } = this.kept;
        this.post({ type: 'hello', locale: vscode.env.language, strings: strings(), ...(state && { state }), sidecar: this.sidecarView() });
        this.post({ type: 'whereabouts', whereabouts: whereabouts(vscode.window.activeTextEditor) });
        for (const early of this.early.splice(0)) this.post(early);
        return;
      }
      case 'request':
        return this.answer(await relay(this.sidecar, m, this.around));
      case 'do':
        try {
          this.answer({ type: 'answer', id: m.id, result: await this.perform(m.action) });
        } catch (error) {
          this.answer({ type: 'answer', id: m.id, error: failure(error) });
        }
        return;
      case 'titled':
        return this.view?.name(plain(m.title, 100));
      case 'state':
        return this.keep(m.state);
    }
  }

  private answer(answer: Answer): void {
    // Why no process answers is known here, in words for a person.
    if (answer.error?.kind === 'unavailable') answer.error.message = problemText(this.sidecar) ?? vscode.l10n.t('The sidecar is not running.');
    this.post(answer);
  }

  private keep(state: PageState): void {
    if (state.sessionId !== null) this.shown.fire(state.sessionId);
    void this.kept.set(state);
    if (this.follower.sessionId !== undefined && this.follower.sessionId !== state.sessionId) this.follower.stop();
    current.id = state.sessionId;
  }

  private readonly around: Around = {
    held: (method, params) => this.held(method, params),
    done: (method, params, result) => {
      const { session } = result as { session?: Session };
      if (session) this.sidecar.sessions.learn(session);
      // Whoever can write a session need not follow it.
      const writes = method === 'agent/session/resume' || method === 'agent/run' || method === 'agent/session/update';
      if (writes && (params as { sessionId?: string }).sessionId === this.follower.sessionId) this.follower.stop();
    },
    failed: async (_, params, error) => {
      const sessionId = (params as { sessionId?: string } | undefined)?.sessionId;
      if (error.kind !== 'session_locked' || sessionId === undefined) return;
      // Known before the page is told, so that what it reads of the log and what follows leave no gap.
      await this.follower.follow(sessionId).catch(() => {});
    },
  };

  dispose(): void {
    for (const d of this.disposables) d.dispose();
  }
}

/** The words of the display language, for the page: the same bundle that the extension has. */
function strings(): Record<string, string> {
  return { ...(vscode.l10n.bundle ?? {}) };
}
