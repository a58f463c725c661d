// How much a model may think, as a list to choose from. The sidecar says which levels a model
// has, and writes the chosen one as the model's family wants it.
import type { DescribeResult } from '../protocol';
import { plain } from '../text/plain';

/** Every level that there is, the least first. */
const levels: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

export interface Words { byDefault: string; defaultDetail: string; now: string; none: string }

/** level: '' clears what the session sets itself. */
export interface EffortItem { label: string; description: string; detail?: string; level: string }

type Said = Pick<DescribeResult, 'efforts' | 'models'>;

/** What there is to choose: the levels of a model that is known to have some, else all of them; that of now in any case. */
export function effortItems(said: Said, model: string, now: string, w: Words): EffortItem[] {
  const known = said.efforts[model] ?? levels;
  const offered = now === '' || known.includes(now) ? known : [...known, now];
  const about = (level: string, more: string) => [level === now ? w.now : '', more].filter(Boolean).join(' · ');
  return [
    { label: w.byDefault, description: about('', ''), detail: w.defaultDetail, level: '' },
    ...offered.map((level) => ({ label: plain(level, 40), description: about(level, level === 'none' ? w.none : ''), level })),
  ];
}

/** Whether a model is configured and has no levels: it is told nothing, whatever is chosen. */
export function takesNone(said: Said, model: string): boolean {
  return said.models.includes(model) && said.efforts[model] === undefined;
}
