// Which session the person is looking at. The chat says it; pickers, the status bar and
// the commands work on it.
import { EventEmitter } from 'vscode';

const changed = new EventEmitter<string | null>();
let id: string | null = null;

export const current = {
  /** null: none, or a new one that has no id yet. */
  get id(): string | null {
    return id;
  },
  set id(next: string | null) {
    if (next === id) return;
    id = next;
    changed.fire(id);
  },
  onChange: changed.event,
};
