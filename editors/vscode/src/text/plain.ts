// Text of a model, a file or the sidecar, for places of the editor that would make links
// or icons of it: messages, tooltips, the status bar, pickers.
import { visible } from './visible';

/** One line in which nothing is hidden, nothing is a link and nothing is an icon. */
export function plain(text: string, most = 200): string {
  // eslint-disable-next-line no-control-regex
  const shown = visible(text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' '))
    .replace(/\]\(/g, '] (')
    .replace(/\$\(/g, '$ (')
    .trim();
  const points = [...shown];
  return points.length > most ? points.slice(0, most - 1).join('') + '…' : shown;
}
