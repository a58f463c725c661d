// What a row needs of the chat around it.
import type { Action } from '../../chat/messages';
import { el, icon } from '../dom';
import type { Segment } from '../markdown/segments';
import type { CallRow, Model, PromptRow } from '../conversation/model';
import { t } from '../strings';

export interface Chat {
  readonly model: Model;
  /** Somebody else has the session: nothing can be answered or sent. */
  readonly readOnly: boolean;
  readonly ui: UiState;
  perform(action: Action): void;
  copy(text: string, from: HTMLElement): void;
  codeOf(rowKey: string, fence: number): string;
  /** The pieces of a fence that there are by now. */
  fence(rowKey: string, fence: number): Segment[];
  edit(row: PromptRow): void;
  /** Goes back to before a prompt, with the files. */
  restore(row: PromptRow): void;
  /** Whether the sidecar can do that: one of an older version cannot. */
  readonly restores: boolean;
  /** Runs the last prompt again. */
  retry(): void;
  /** Whether the sidecar can run a prompt again: one of an older version cannot. */
  readonly retries: boolean;
  /** Something runs, or is about to. */
  readonly busy: boolean;
  /** A picture of the log, as data once it is read; the row is drawn again then. */
  picture(uri: string, rowKey: string): string | undefined;
  stopCall(row: CallRow): void;
  stopAgent(path: string): void;
  unfolded(row: CallRow): void;
  redraw(): void;
}

/** Pictures of the log, by the names that it has for them. */
export function drawPictures(uris: string[], rowKey: string, chat: Chat): HTMLElement | false {
  return uris.length > 0 && el('div', { class: 'pictures' }, uris.map((uri) => {
    const src = chat.picture(uri, rowKey);
    return src ? el('img', { src, alt: t('picture') }) : el('span', { class: 'chip' }, icon('file-media'), t('picture'));
  }));
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
    this.touch(key.replace(/[~!].*$/, ''));
  }

  /** What stands beside a row has changed. */
  touch(row: string): void {
    this.versions.set(row, (this.versions.get(row) ?? 0) + 1);
  }

  version(key: string): number {
    return this.versions.get(key) ?? 0;
  }
}
