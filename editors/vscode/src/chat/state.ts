// What the chat keeps over a reload of the window: which session, and what was typed.
// Whether the session is still there the sidecar says when the page resumes it.
import type { Memento } from 'vscode';
import type { PageState } from './messages';
import { pageState } from './read';

const key = 'agentSidecar.chat';

export class Kept {
  constructor(private readonly memento: Memento) {}

  get state(): PageState | undefined {
    return pageState(this.memento.get(key));
  }

  set(state: PageState): Thenable<void> {
    return this.memento.update(key, state);
  }
}
