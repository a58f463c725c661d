// Puts the page together and draws it: what comes is folded at once, and drawn once a frame.
import type { Action, PageState, SidecarView, ToPage } from '../chat/messages';
import type { ContentBlock } from '../protocol';
import { visibleLine } from '../text/visible';
import { Approvals } from './approvals';
import { Questions } from './questions';
import { drawMeter, Plan, Queue, StatusLine, statusOf } from './bars';
import { Choices } from './choices';
import { Composer, type Prompt } from './composer';
import { button, el, icon } from './dom';
import { Banners, Head } from './head';
import { Items } from './items';
import { VirtualList } from './list';
import { UiState, type Chat } from './rows/chat';
import { Host, type Refused } from './conversation/host';
import { LogPictures } from './conversation/logpictures';
import { type PromptRow, type Row, untouched } from './conversation/model';
import { Talk } from './conversation/talk';
import { placeOf } from './place';
import { commandIn } from './slash';
import { restoreTo } from './restore';
import { Sessions } from './sessions';
import { seenIn } from './sight';
import { t } from './strings';

/** A session without a title is called by its first prompt, as the sidecar does. */
function firstWords(rows: Row[]): string {
  const prompt = rows.find((r) => r.kind === 'prompt' && !r.synthetic) as PromptRow | undefined;
  return prompt?.blocks.find((b) => b.type === 'text')?.text?.trim().split('\n')[0].slice(0, 200) ?? '';
}

/** Where a picture is shown that is in no row. */
const inComposer = '';

export class App {
  private readonly talk: Talk;
  private readonly choices: Choices;
  private readonly chat: Chat;
  private readonly items: Items;
  private readonly pictures: LogPictures;
  private readonly list: VirtualList;
  private readonly composer: Composer;
  private readonly head: Head;
  private readonly banners: Banners;
  private readonly sessions: Sessions;
  private readonly approvals: Approvals;
  private readonly questions: Questions;
  private readonly plan = new Plan();
  private readonly queue: Queue;
  private readonly status = new StatusLine();
  private readonly empty = el('div', { class: 'empty' });
  private readonly newest: HTMLButtonElement;
  private sidecar: SidecarView = { state: 'starting', trusted: true };
  private editing: PromptRow | undefined;
  private starting = false;
  private scheduled = false;
  private slow = false;
  private problem = '';
  private asks = '';
  private kept: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: Host, root: HTMLElement) {
    this.talk = new Talk(host, () => this.schedule());
    const app = this;
    this.choices = new Choices(host, this.talk, {
      get sidecar() { return app.sidecar; },
      attempt: (work) => this.attempt(work),
      begun: () => this.keep(),
    });
    this.chat = this.makeChat();
    this.items = new Items(this.chat);
    this.pictures = new LogPictures((p) => host.request('agent/artifact', p), (rows) => this.picturesCame(rows));
    this.list = new VirtualList(t('conversation'), { stuck: (s) => { this.newest.hidden = s; }, nearTop: () => void this.talk.earlier() });
    this.newest = button('', () => this.list.toEnd(), { class: 'newest', hidden: true, title: t('newMessages'), 'aria-label': t('newMessages') });
    this.newest.append(icon('arrow-down'));
    this.composer = new Composer({
      send: (p) => this.send(p), stop: () => this.stop(), finding: { find: (query) => host.perform({ do: 'mention', query }), attach: (what) => host.perform({ do: 'attach', what }), commands: () => host.request('agent/commands', {}) },
      last: () => this.lastPrompt(),
      modes: () => this.choices.modes(), models: () => this.choices.models(),
      cancelEdit: () => this.cancelEdit(), drafted: () => this.keepSoon(), picture: (uri) => this.picture(uri, inComposer),
      sees: async (model) => seenIn(await host.request('agent/models', { model })), chooseModel: () => this.choices.otherModel(),
    });
    this.head = new Head({ titled: (title) => host.titled(title), workOn: () => this.choices.workOn() });
    this.banners = new Banners({
      command: (command) => this.perform({ do: 'command', command }), fork: () => this.attempt(() => this.talk.forkAt(undefined)),
      takeOver: () => this.attempt(() => this.takeOver()), goOn: () => this.attempt(() => this.talk.goOn()),
    });
    this.sessions = new Sessions(this.listing());
    this.approvals = new Approvals({
      answer: (a, answer) => this.talk.answer(a, answer).then((r) => (r === 'stale' ? t('stale') : undefined), (e: Error) => e.message),
      review: (approval) => this.perform({ do: 'reviewDiff', approval }),
      accept: ({ approvalId, digest }) => host.perform({ do: 'acceptEdited', approvalId, digest }).then(() => undefined, (e: Error) => e.message),
      leave: () => this.list.focusLast(),
      get readOnly() { return app.talk.readOnly; },
    });
    this.questions = new Questions({
      answer: (q, answers) => host.request('agent/answer', { questionId: q.questionId, ...(answers ? { answers } : { dismiss: true }) }).then((r) => (r.status === 'applied' ? undefined : t('answeredAlready')), (e: Error) => e.message),
      leave: () => this.list.focusLast(),
      get readOnly() { return app.talk.readOnly; },
    });
    this.queue = new Queue({
      remove: (itemId) => this.attempt(() => this.talk.queue('remove', { itemId })),
      update: (itemId, text) => this.attempt(() => this.talk.queue('update', { itemId }, text)),
      steer: (item) => this.attempt(() => this.talk.steer(item)),
      leave: () => this.composer.focus(),
      get readOnly() { return app.talk.readOnly; },
    });
    const conversation = el('main', { class: 'conversation' }, this.list.scroller, this.empty, this.newest);
    root.append(this.head.node, this.banners.node, conversation, this.sessions.node,
      el('div', { class: 'dock' }, this.plan.node, this.queue.node, this.approvals.node, this.questions.node, this.status.node, this.composer.node));
    this.list.scroller.addEventListener('click', (e) => this.follow(e));
    document.addEventListener('keydown', (e) => this.key(e));
  }

  told(m: Exclude<ToPage, { type: 'answer' | 'hello' }>): void {
    switch (m.type) {
      case 'sidecar': return this.sidecarIs(m.sidecar);
      case 'events':
        this.talk.events(m.events);
        // Its log is another one now; what was in it is in the fork.
        if (m.events.some((e) => e.type === 'session.sync' && e.data.fork && e.sessionId === this.talk.sessionId)) void this.talk.open(this.talk.sessionId);
        return;
      case 'show': return void this.show(m.sessionId);
      case 'following':
        if (m.sessionId === this.talk.sessionId && this.talk.locked) this.talk.locked = { pid: m.lockedBy?.pid, free: m.lockedBy === null };
        return this.schedule();
      case 'edited': return this.approvals.changedInReview(m.approvalIds);
      case 'whereabouts': return this.composer.whereabouts(m.whereabouts);
      case 'compose':
        if (m.send) {
          this.cancelEdit();
          void this.composer.sendBeside(m.text, m.blocks ?? []);
        } else if (m.text === '') this.composer.add(m.blocks ?? []);
        else this.composer.fill(m.text, m.blocks);
        return this.composer.focus();
      case 'kept':
        if (m.sessionId === this.talk.sessionId) this.talk.model.kept.set(m.runId, new Set([...(this.talk.model.kept.get(m.runId) ?? []), ...m.paths]));
        return this.schedule();
      case 'focus':
        if (m.what === 'sessions') this.toggleSessions();
        else if (m.what !== 'approvals' || !(this.approvals.focus() || this.questions.focus())) this.composer.focus();
    }
  }

  /** The first thing after `hello`: what was shown before the window was loaded again. */
  begin(sidecar: SidecarView, state: PageState | undefined): void {
    this.sidecar = sidecar;
    if (state?.draft) this.composer.fill(state.draft);
    this.talk.sessionId = state?.sessionId ?? null;
    if (sidecar.state === 'running') this.connected();
    this.schedule();
  }

  private connected(): void {
    void this.talk.readConfig();
    if (this.talk.sessionId !== null) void this.talk.open(this.talk.sessionId).then(() => this.keep());
  }

  private sidecarIs(sidecar: SidecarView): void {
    const came = sidecar.state === 'running' && this.sidecar.state !== 'running';
    this.sidecar = sidecar;
    if (came) {
      this.talk.config.clear();
      this.pictures.forget();
      this.connected();
    }
    this.schedule();
  }

  private async show(id: string | null): Promise<void> {
    this.sessions.hide();
    this.cancelEdit();
    this.problem = '';
    this.items.forget();
    this.pictures.forget();
    const opened = this.talk.open(id);
    this.list.toEnd();
    await opened;
    this.keep();
    this.composer.focus();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => this.frame());
  }

  /** Draws, and where that was slow lets the next frame go to the editor and to input. */
  private frame(): void {
    if (this.slow) {
      this.slow = false;
      requestAnimationFrame(() => this.frame());
      return;
    }
    this.scheduled = false;
    const began = performance.now();
    this.draw();
    this.slow = performance.now() - began > 12;
  }

  private draw(): void {
    const talk = this.talk;
    const m = talk.model;
    const items = untouched(m) ? [] : this.items.of(m);
    this.list.set(items);
    const running = this.running;
    const bare = !items.length && !talk.loading && !talk.locked && !talk.problem && !running && !['missing', 'failed', 'stopped'].includes(this.sidecar.state);
    const { mode, model: asks } = this.choices;
    this.drawEmpty(bare, this.choices.asks);
    this.head.show({ title: m.session.title || firstWords(m.root.rows), place: placeOf(m.session.runner, this.sidecar.runners) });
    this.banners.show({ sidecar: this.sidecar, problem: this.problem || talk.problem, locked: talk.locked, interrupted: talk.interrupted, running });
    this.plan.update(m.plan, talk.questions.length > 0);
    this.queue.update(m.queue);
    this.approvals.update(talk.questions);
    this.questions.update([...m.questions.values()]);
    const status = statusOf(m, talk.questions.length + m.questions.size, this.starting);
    this.status.show(talk.loading && !items.length ? { text: t('earlier'), kind: 'busy' } : status);
    drawMeter(this.composer.meter, m.context);
    this.composer.state({
      running: running && !talk.readOnly, disabled: talk.readOnly || this.sidecar.state !== 'running', mode: mode.name, modeLabel: mode.label,
      model: asks || t('modelDefault'), effort: this.choices.effort, asks,
    });
  }

  private get running(): boolean {
    const m = this.talk.model;
    return this.starting || m.active !== undefined || m.queue.length > 0;
  }

  private drawEmpty(bare: boolean, asks: string): void {
    this.empty.hidden = !bare;
    if (!bare || this.asks === asks) return;
    this.asks = asks;
    this.empty.replaceChildren(icon('comment-discussion', 'large'), el('h2', null, t('emptyTitle')), el('p', null, t('emptyText')), el('p', null, asks), el('p', { class: 'quiet' }, t('emptyMention')));
  }

  private async send(p: Prompt): Promise<boolean> {
    this.problem = '';
    this.starting = true;
    this.list.toEnd();
    this.schedule();
    try {
      const from = this.editing;
      if (from) {
        await this.talk.forkAt((from.seq ?? 1) - 1);
        this.items.forget();
        this.cancelEdit(false);
      }
      const w = p.whereabouts;
      await this.talk.run({
        prompt: p.blocks, delivery: p.delivery,
        ...(w && { context: { textDocument: { uri: w.uri }, selection: { start: { line: w.startLine - 1, character: 0 }, end: w.empty ? { line: w.startLine - 1, character: 0 } : { line: w.endLine - 1, character: 100_000 } } } }),
      });
      this.keep();
      return true;
    } catch (e) {
      const own = (e as Refused).kind === 'client_command' ? commandIn(p.blocks) : undefined;
      if (own && this.choices.perform(own.name, own.args)) return true;
      if ((e as Refused).kind === 'run_not_active') return await this.send({ ...p, delivery: 'auto' });
      this.composer.say(visibleLine((e as Error).message));
      if ((e as Refused).kind === 'session_locked') void this.talk.open(this.talk.sessionId); // another window has it now: read along
      return false;
    } finally {
      this.starting = false;
      this.schedule();
    }
  }

  private retry(): void {
    this.starting = true;
    this.attempt(() => this.talk.retry().finally(() => { this.starting = false; }));
    this.list.toEnd();
    this.schedule();
  }

  private stop(): void {
    if (this.talk.sessionId !== null) this.attempt(() => this.host.request('agent/cancel', { sessionId: this.talk.sessionId! }));
  }

  private async takeOver(): Promise<void> {
    await this.talk.open(this.talk.sessionId);
    if (this.talk.locked) this.problem = t('stillLocked');
  }

  private cancelEdit(clear = true): void {
    if (!this.editing) return;
    this.editing = undefined;
    this.composer.edits(false);
    if (clear) this.composer.fill('');
  }

  private makeChat(): Chat {
    const app = this;
    const ui = new UiState();
    return {
      get model() { return app.talk.model; },
      get readOnly() { return app.talk.readOnly; },
      ui,
      perform: (action) => app.perform(action),
      copy: (text, from) => {
        app.perform({ do: 'copy', text });
        from.replaceChildren(icon('check'));
        setTimeout(() => from.replaceChildren(icon('copy')), 1500);
      },
      codeOf: (key, fence) => app.items.codeOf(key, fence),
      fence: (key, fence) => app.items.fence(key, fence),
      edit: (row) => {
        app.editing = row;
        app.composer.refill(row.blocks);
        app.composer.edits(true);
        app.composer.say('');
        app.composer.focus();
      },
      restore: (row) => app.attempt(() => restoreTo(app.host, app.talk.sessionId, row, (id) => app.show(id), (r) => app.composer.refill(r.blocks))),
      get restores() { return !!app.sidecar.capabilities?.methods.includes('agent/session/restore'); },
      retry: () => app.retry(),
      get retries() { return !!app.sidecar.capabilities?.methods.includes('agent/models'); },
      get busy() { return app.running; },
      picture: (uri, row) => app.picture(uri, row),
      stopCall: (row) => app.attempt(() => app.host.request('agent/cancel', { sessionId: app.talk.sessionId!, callId: row.callId })),
      stopAgent: (agentId) => app.attempt(() => app.host.request('agent/cancel', { sessionId: app.talk.sessionId!, agentId })),
      unfolded: (row) => { if (row.agent) app.talk.readAgent(row.agent.path); },
      redraw: () => app.schedule(),
    };
  }

  /** What the person asked last. */
  private lastPrompt(): ContentBlock[] | undefined {
    const row = this.talk.model.root.rows.findLast((r) => r.kind === 'prompt' && !r.synthetic);
    return row?.kind === 'prompt' ? row.blocks : undefined;
  }

  private picture(uri: string, row: string): string | undefined {
    return this.talk.sessionId === null ? undefined : this.pictures.of(this.talk.sessionId, uri, row);
  }

  private picturesCame(rows: Iterable<string>): void {
    for (const row of rows) {
      if (row === inComposer) this.composer.drawChips();
      else this.chat.ui.touch(row);
    }
    this.schedule();
  }

  private listing() {
    const app = this;
    return {
      list: (query: string, cursor: string | undefined) => app.host.request('agent/session/list', { limit: 50, ...(query && { query }), ...(cursor && { cursor }) }),
      open: (id: string) => void app.show(id),
      fork: (id: string) => app.attempt(async () => app.show((await app.host.request('agent/session/fork', { sessionId: id })).session.id)),
      act: (what: 'rename' | 'delete' | 'export', sessionId: string) => app.host.perform({ do: what, sessionId }),
      close: () => { app.sessions.hide(); app.composer.focus(); app.schedule(); },
      get current() { return app.talk.sessionId; },
    };
  }

  private toggleSessions(): void {
    if (this.sessions.shown) { this.sessions.hide(); this.composer.focus(); }
    else this.sessions.show();
    this.schedule();
  }

  /** Links and citations of answers: nothing is opened but by the editor. */
  private follow(e: MouseEvent): void {
    const a = (e.target as HTMLElement).closest?.('a');
    if (!a) return;
    e.preventDefault();
    e.stopPropagation();
    const { path, line, endLine } = a.dataset;
    if (path) this.perform({ do: 'open', path, ...(line && { line: Number(line) }), ...(endLine && { endLine: Number(endLine) }) });
    else if (/^https?:/.test(a.getAttribute('href') ?? '')) this.perform({ do: 'openLink', href: a.getAttribute('href')! });
  }

  private key(e: KeyboardEvent): void {
    if (e.defaultPrevented || e.isComposing) return;
    if (e.key === 'Escape' && !this.sessions.shown && document.activeElement !== this.composer.box) this.composer.focus();
    else if (e.key === 'ArrowUp' && e.altKey) { e.preventDefault(); if (!this.approvals.focus() && !this.questions.focus()) this.list.focusLast(); }
    else if (e.key === 'ArrowDown' && e.altKey) { e.preventDefault(); this.composer.focus(); }
  }

  private perform(action: Action): void { this.attempt(() => this.host.perform(action)); }

  private attempt(work: () => Promise<unknown>): void {
    this.problem = '';
    work().catch((e: Error) => { this.problem = e.message; }).finally(() => this.schedule());
  }

  private keepSoon(): void {
    clearTimeout(this.kept);
    this.kept = setTimeout(() => this.keep(), 400);
  }

  private keep(): void {
    clearTimeout(this.kept);
    const draft = this.composer.text;
    this.host.keep({ sessionId: this.talk.sessionId, ...(draft && !this.editing && { draft }) });
  }
}
