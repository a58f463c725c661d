// What a row needs of the chat around it.
import type { Action } from '../../chat/messages';
import type { CallRow, Model, PromptRow } from '../model';

export interface Chat {
  readonly model: Model;
  /** Somebody else has the session: nothing can be answered or sent. */
  readonly readOnly: boolean;
  readonly ui: UiState;
  perform(action: Action): void;
  copy(text: string, from: HTMLElement): void;
  codeOf(rowKey: string, fence: number): string;
  edit(row: PromptRow): void;
  /** Pictures of a prompt that this page has sent, as data. */
  picture(index: number, row: PromptRow): string | undefined;
  stopCall(row: CallRow): void;
  stopAgent(path: string): void;
  unfolded(row: CallRow): void;
  redraw(): void;
}

/** What is unfolded. Each change gives the row another version, so that it is drawn anew. */
export class UiState {
  private open = new Map<string, boolean>();
  private versions = new Map<string, number>();

  isOpen(key: string, otherwise: boolean): boolean {
    return this.open.get(key) ?? otherwise;
  }

  set(key: string, open: boolean): void {
    this.open.set(key, open);
    const row = key.replace(/[~!].*$/, '');
    this.versions.set(row, (this.versions.get(row) ?? 0) + 1);
  }

  version(key: string): number {
    return this.versions.get(key) ?? 0;
  }
}
