import { until } from './checks.mjs';

// The chat view, as a person sees and uses it. Nothing here depends on the language: what is looked for has a class or a data attribute.
export class Chat {
  constructor(window) {
    this.window = window;
    this.page = window.webview();
  }

  /** By the command, as from anywhere in the window. */
  async focus() {
    await this.window.command(this.window.title('focusChat'));
    await this.box.waitFor();
  }

  /** By the command, a session that is yet to be made. What is typed before it is there would still go to the one before. */
  async fresh() {
    await this.window.command(this.window.title('newSession'));
    await this.page.locator('.empty h2').waitFor();
  }

  get box() { return this.page.locator('.composer textarea.box'); }
  get status() { return this.page.locator('.status'); }
  get answers() { return this.page.locator('.row.answer'); }
  answer(text) { return this.answers.filter({ hasText: text }).first(); }
  get prompts() { return this.page.locator('.row.prompt'); }
  /** The card of a call, by its id in the model's script. */
  call(id) { return this.page.locator(`.row.call[data-call="${id}"]`); }
  get questions() { return this.page.locator('.approval[data-approval]'); }
  question(text) { return this.questions.filter({ hasText: text }).first(); }
  get end() { return this.page.locator('.row.end').last(); }

  async say(prompt) {
    await this.box.fill(prompt);
    await this.box.press('Enter');
  }

  /** What the last run changed in a file: its diff, keep or undo. */
  change(what, path) { return this.end.locator(`[data-part="${what} ${path}"]`); }

  /** Nothing runs and nothing waits. */
  async idle() { await this.page.locator('.status.none').waitFor({ state: 'attached' }); }

  /** The button of a question: once, session, always, reject or review. A yes is not heard while something near it still moves. */
  async decide(question, decision) {
    const id = await question.getAttribute('data-approval');
    const button = this.page.locator(`[data-approval="${id}"] [data-decision="${decision}"]`).first();
    if (['reject', 'review'].includes(decision)) return button.click();
    return until(async () => {
      if (await button.count() === 0) return true;
      await button.click();
      return button.evaluateAll((there) => there.every((b) => b.disabled)); // or it is gone
    }, 'the answer is not heard');
  }
}
