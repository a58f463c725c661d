// Shows the pieces of the agent's changes in the files themselves: colours, Keep and Undo
// above each, and commands for the keyboard.
import * as vscode from 'vscode';
import { documentOf } from '../documents/sides';
import { attempt } from '../sidecar/attempt';
import { isText, keepPiece, keptPieces, linesOf, mostText, piecesOf, takesBack, type Base, type Piece } from './hunks';

const key = 'agentSidecar.keptPieces';

/** What a document shows. */
interface Seen { version: number; base: Base; before: string[]; pieces: Piece[] }

/** What the list of changes does with a whole file. */
export interface Whole {
  keep(base: Base): Promise<unknown>;
  undo(base: Base): Promise<unknown>;
  open(base: Base): Promise<unknown>;
}

export class Pieces implements vscode.CodeLensProvider {
  private readonly bases = new Map<string, Map<string, Base>>(); // by session, then by document
  private readonly texts = new Map<string, Promise<string[] | undefined>>(); // by checkpoint
  private readonly seen = new Map<string, Seen>(); // by document
  private readonly drawn = new vscode.EventEmitter<void>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly added = vscode.window.createTextEditorDecorationType({ isWholeLine: true, backgroundColor: new vscode.ThemeColor('diffEditor.insertedLineBackground'), overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.modifiedForeground'), overviewRulerLane: vscode.OverviewRulerLane.Left });
  private readonly removed = vscode.window.createTextEditorDecorationType({ isWholeLine: true, borderColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'), borderStyle: 'solid', borderWidth: '1px 0 0 0', overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'), overviewRulerLane: vscode.OverviewRulerLane.Left });
  readonly onDidChangeCodeLenses = this.drawn.event;

  constructor(private readonly context: vscode.ExtensionContext, private readonly whole: Whole) {
    context.subscriptions.push(
      this.drawn, this.added, this.removed,
      vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this),
      vscode.window.onDidChangeVisibleTextEditors(() => this.look()),
      vscode.window.onDidChangeActiveTextEditor(() => this.tellActive()),
      vscode.workspace.onDidChangeTextDocument((e) => this.soon(e.document)),
      vscode.workspace.onDidCloseTextDocument((d) => this.seen.delete(d.uri.toString())),
      { dispose: () => this.timers.forEach((t) => clearTimeout(t)) },
      this.command('agentSidecar.piece.keep', (at) => this.keep(at.document, at.piece)),
      this.command('agentSidecar.piece.undo', (at) => this.undo(at.document, at.piece)),
      vscode.commands.registerCommand('agentSidecar.piece.next', () => attempt(() => this.go(1))),
      vscode.commands.registerCommand('agentSidecar.piece.previous', () => attempt(() => this.go(-1))),
      vscode.commands.registerCommand('agentSidecar.piece.diff', (uri: string) => attempt(async () => { const base = this.baseOf(uri); if (base) await whole.open(base); })),
    );
  }

  /** The files of a session whose pieces are shown. */
  set(sessionId: string, bases: Base[]): void {
    if (bases.length === 0) this.bases.delete(sessionId);
    else this.bases.set(sessionId, new Map(bases.map((b) => [vscode.Uri.parse(b.uri).toString(), b])));
    this.look();
  }

  /** Only these sessions are shown. */
  only(sessionIds: readonly string[]): void {
    for (const id of this.bases.keys()) if (!sessionIds.includes(id)) this.bases.delete(id);
    this.look();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const seen = this.seen.get(document.uri.toString());
    if (!seen || seen.version !== document.version) return [];
    return seen.pieces.flatMap((p) => {
      const range = new vscode.Range(Math.min(p.start, document.lineCount - 1), 0, Math.min(p.start, document.lineCount - 1), 0);
      const on = [document.uri.toString(), p.id];
      return [
        new vscode.CodeLens(range, { title: `$(check) ${vscode.l10n.t('Keep')}`, command: 'agentSidecar.piece.keep', arguments: on }),
        new vscode.CodeLens(range, { title: `$(discard) ${vscode.l10n.t('Undo')}`, command: 'agentSidecar.piece.undo', arguments: on }),
        new vscode.CodeLens(range, { title: vscode.l10n.t('since before the agent: +{0} −{1}', p.end - p.start, p.to - p.from), command: 'agentSidecar.piece.diff', arguments: [on[0]] }),
      ];
    });
  }

  private baseOf(uri: string): Base | undefined {
    for (const bases of this.bases.values()) {
      const found = bases.get(uri);
      if (found) return found;
    }
    return undefined;
  }

  private look(): void {
    for (const e of vscode.window.visibleTextEditors) if (e.document.uri.scheme === 'file') void this.draw(e.document);
  }

  private soon(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    if (document.uri.scheme !== 'file' || !this.baseOf(uri)) return;
    clearTimeout(this.timers.get(uri));
    this.timers.set(uri, setTimeout(() => {
      this.timers.delete(uri);
      void this.draw(document);
    }, 250));
  }

  /** What was before, exactly; undefined: nobody knows it as a text. */
  private before(base: Base): Promise<string[] | undefined> {
    if (base.checkpoint === undefined) return Promise.resolve(['']);
    const at = base.checkpoint;
    const known = this.texts.get(at);
    if (known) return known;
    const read = (async () => {
      const document = documentOf(at);
      if (!document) return undefined;
      const text = (await vscode.workspace.openTextDocument(document)).getText();
      return text.length <= mostText && isText(at, text) ? linesOf(text) : undefined;
    })().catch(() => undefined); // it is not kept any more: there are no pieces then
    this.texts.set(at, read);
    for (const old of [...this.texts.keys()].slice(0, -40)) this.texts.delete(old);
    return read;
  }

  /** Looks at the text as it is now. */
  private async draw(document: vscode.TextDocument): Promise<Seen | undefined> {
    const uri = document.uri.toString();
    const base = this.baseOf(uri);
    const before = base && (await this.before(base));
    const kept = base && new Set(keptPieces(this.context.workspaceState.get(key))[keptUnder(base)] ?? []);
    let seen: Seen | undefined;
    if (before && base === this.baseOf(uri) && !document.isClosed) {
      const text = document.getText();
      if (text.length <= mostText) seen = { version: document.version, base, before, pieces: piecesOf(before, linesOf(text)).filter((p) => !kept!.has(p.id)) };
    }
    const had = this.seen.get(uri);
    if (seen) this.seen.set(uri, seen);
    else this.seen.delete(uri);
    if (!seen && !had) return undefined;
    const pieces = seen?.pieces ?? [];
    for (const editor of vscode.window.visibleTextEditors.filter((e) => e.document === document)) {
      editor.setDecorations(this.added, pieces.filter((p) => p.end > p.start).map((p) => new vscode.Range(p.start, 0, p.end - 1, 0)));
      editor.setDecorations(this.removed, pieces.filter((p) => p.end === p.start).map((p) => new vscode.Range(Math.min(p.start, document.lineCount - 1), 0, Math.min(p.start, document.lineCount - 1), 0)));
    }
    this.drawn.fire();
    this.tellActive();
    return seen;
  }

  private tellActive(): void {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    void vscode.commands.executeCommand('setContext', 'agentSidecar.pieces', (this.seen.get(uri ?? '')?.pieces.length ?? 0) > 0);
    void vscode.commands.executeCommand('setContext', 'agentSidecar.changed', this.bases.size > 0);
  }

  /** A command on a piece: what was clicked, or the one at the cursor. It is looked for in the text as it is by then. */
  private command(id: string, work: (at: { document: vscode.TextDocument; seen: Seen; piece: Piece }) => Promise<void>): vscode.Disposable {
    return vscode.commands.registerCommand(id, (uri?: string, pieceId?: string) => attempt(async () => {
      const editor = vscode.window.activeTextEditor;
      const document = typeof uri === 'string' ? vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri) : editor?.document;
      const seen = document && (await this.draw(document));
      const piece = seen && (typeof pieceId === 'string' ? seen.pieces.find((p) => p.id === pieceId) : editor && nearest(seen.pieces, editor.selection.active.line));
      if (!document || !seen || !piece) return void vscode.window.showInformationMessage(vscode.l10n.t('There is no such change of the agent here any more.'));
      await work({ document, seen, piece });
    }));
  }

  private async keep(document: vscode.TextDocument, piece: Piece): Promise<void> {
    const base = this.baseOf(document.uri.toString());
    if (!base) return;
    await this.context.workspaceState.update(key, keepPiece(keptPieces(this.context.workspaceState.get(key)), keptUnder(base), piece.id));
    await this.settled(document);
  }

  private async undo(document: vscode.TextDocument, piece: Piece): Promise<void> {
    const seen = this.seen.get(document.uri.toString());
    if (!seen || seen.version !== document.version) return;
    if (seen.base.checkpoint === undefined) return void (await this.whole.undo(seen.base)); // there was no file
    const { start, end, text } = takesBack(seen.before, linesOf(document.getText()), piece);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(...start, ...end), text);
    if (!(await vscode.workspace.applyEdit(edit))) throw new Error(vscode.l10n.t('The file cannot be changed here.'));
    await this.settled(document);
  }

  /** Where every piece is kept or undone, the file is kept. */
  private async settled(document: vscode.TextDocument): Promise<void> {
    const seen = await this.draw(document);
    if (seen?.pieces.length === 0) await this.whole.keep(seen.base);
  }

  /** To the next piece, or the one before: in this file, else in the next one that has any. */
  private async go(step: 1 | -1): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const pieces = (editor && (await this.draw(editor.document)))?.pieces ?? [];
    const line = editor?.selection.active.line ?? 0;
    const here = step > 0 ? pieces.find((p) => p.start > line) : pieces.findLast((p) => p.start < line);
    if (editor && here) return reveal(editor, here);
    const all = [...this.bases.values()].flatMap((b) => [...b.keys()]).map((u) => vscode.Uri.parse(u));
    const at = editor ? all.findIndex((u) => u.toString() === editor.document.uri.toString()) : -1;
    for (let i = 1; i <= all.length; i++) {
      const uri = all[(at + i * step + all.length * 2) % all.length]!;
      const document = await vscode.workspace.openTextDocument(uri).then((d) => d, () => undefined);
      const found = document && (await this.draw(document))?.pieces;
      const piece = step > 0 ? found?.[0] : found?.at(-1);
      if (document && piece) return reveal(await vscode.window.showTextDocument(document), piece);
    }
    void vscode.window.showInformationMessage(vscode.l10n.t('There are no changes of the agent to look at.'));
  }
}

/** A file that was made has no checkpoint: what is kept of it goes under its own name. */
const keptUnder = (base: Base) => base.checkpoint ?? `${base.sessionId} ${base.uri}`;

function nearest(pieces: readonly Piece[], line: number): Piece | undefined {
  return pieces.find((p) => line >= p.start && line < Math.max(p.end, p.start + 1));
}

function reveal(editor: vscode.TextEditor, piece: Piece): void {
  const at = new vscode.Position(Math.min(piece.start, editor.document.lineCount - 1), 0);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(new vscode.Range(at, new vscode.Position(Math.min(Math.max(piece.end - 1, piece.start), editor.document.lineCount - 1), 0)), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
