// Whether the model is known to accept images: asked as soon as one is attached, so that nobody learns of it from the
// answer. A person who knows better sends them anyway.
import { visible } from '../text/visible';
import { button, el } from './dom';
import { t } from './strings';

/** What is known of the model that would be asked; undefined: nobody says. */
export type Seen = { name: string; vision: boolean } | undefined;
export interface Looking { ask(model: string): Promise<Seen>; chooseModel(): void; leave(): void }

export class Sight {
  readonly node = el('div', { class: 'sight', role: 'status', hidden: true });
  /** The person sends them all the same. */
  anyway = false;
  private asked: string | undefined;

  constructor(private readonly looking: Looking) {}

  /** Called when the pictures or the model may have changed. */
  look(pictures: boolean, model: string): void {
    if (!pictures) {
      this.asked = undefined;
      this.anyway = false;
      return this.show(undefined);
    }
    if (this.asked === model) return;
    if (this.asked !== undefined) this.anyway = false; // that was said of another model
    this.asked = model;
    this.show(undefined);
    this.looking.ask(model).then((seen) => { if (this.asked === model) this.show(seen); }, () => {});
  }

  private show(seen: Seen): void {
    this.node.hidden = !seen || seen.vision || this.anyway;
    if (this.node.hidden || !seen) return void this.node.replaceChildren();
    const anyway = () => { this.anyway = true; this.show(seen); this.looking.leave(); };
    this.node.replaceChildren(el('span', null, t('noVision', visible(seen.name.slice(seen.name.lastIndexOf('/') + 1)))), ' ',
      button(t('sendAnyway'), anyway, { class: 'link', 'data-part': 'anyway' }), ' ',
      button(t('chooseModelOf'), () => this.looking.chooseModel(), { class: 'link', 'data-part': 'other-model' }));
  }
}

/** What agent/models says of one model. */
export function seenIn(result: { providers: readonly { models: readonly { name: string; vision?: boolean }[] }[] }): Seen {
  const models = result.providers.flatMap((p) => p.models);
  return models.length === 1 ? { name: models[0].name, vision: models[0].vision === true } : undefined;
}
