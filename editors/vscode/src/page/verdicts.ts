// What was decided about each command of a script and each file in it, and why: one row each.
import type { Approval } from '../protocol';
import { plainName } from '../text/plainname';
import { visible, visibleLine } from '../text/visible';
import { el, icon } from './dom';
import { t, word } from './strings';

const signs: Record<string, string> = { allow: 'check', ask: 'question', deny: 'circle-slash' };

/** The script of a question without the lines of its verdicts, where those are there as parts. */
export function scriptOf(a: Approval): string {
  const { text = '', verdicts = [] } = a.preview ?? {};
  if (!verdicts.length) return text;
  return text.replace(/\n+$/, '').split('\n').slice(0, -verdicts.length).join('\n').replace(/\n+$/, '');
}

/** The one simple command that is all of a script: it stands there already. */
export function onlyCommand(a: Approval): string | undefined {
  const all = a.preview?.verdicts ?? [];
  return all.length === 1 && scriptOf(a).startsWith(`$ ${all[0].text}\n\n`) ? all[0].text : undefined;
}

export function drawVerdicts(a: Approval): HTMLElement[] {
  const all = a.preview?.verdicts ?? [];
  if (!all.length) return [];
  const alone = onlyCommand(a) !== undefined;
  return [el('ul', { class: 'plain verdicts', 'aria-label': t('verdicts') }, all.map((v) =>
    el('li', { class: `verdict ${Object.hasOwn(signs, v.decision) ? v.decision : 'other'}`, 'data-depth': String(Math.min(v.depth ?? 0, 4)) },
      icon(signs[v.decision] ?? 'question'), el('span', { class: 'decided' }, word('verdict', v.decision)),
      alone ? null : el('code', null, named(v.text)), el('span', { class: 'quiet' }, visible(v.why)))))];
}

/** A file that a command names is called `read vault:/a.txt`. */
const named = (text: string): string => {
  const [, domain, object] = /^([a-z_]+) ((?:vault|fs)[@:].*)$/s.exec(text) ?? [];
  return visibleLine(domain ? `${domain} ${plainName(object)}` : text);
};
