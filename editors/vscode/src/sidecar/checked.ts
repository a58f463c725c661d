// Which lists of what is wrong are worth telling the sidecar. It waits after an edit for the
// files of each kind that it was told of, so a list that no checker made would cost time.

/** How many marks a document has now: of checkers, and the sidecar's own questions. */
export interface Marks { foreign: number; own: number }

export class Checked {
  private readonly wrong = new Set<string>(); // the sidecar knows of something there
  private readonly asked = new Map<string, number>(); // its own marks, when last looked at

  /**
   * What is wrong is told, and that it is wrong no longer. That nothing is wrong is told of
   * the workspace only, and not where a question of the sidecar's came or went.
   */
  tells(uri: string, marks: Marks, inWorkspace: boolean): boolean {
    const before = this.asked.get(uri) ?? 0;
    if (marks.own > 0) this.asked.set(uri, marks.own);
    else this.asked.delete(uri);
    const knew = this.wrong.has(uri);
    if (marks.foreign > 0) this.wrong.add(uri);
    else this.wrong.delete(uri);
    return marks.foreign > 0 || knew || (inWorkspace && marks.own === before);
  }

  /** Another process knows nothing. */
  forget(): void { this.wrong.clear(); }
}
