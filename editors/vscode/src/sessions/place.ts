// Where a session works: on this machine, or on that of a runner. The sidecar says which
// there are and how the way to each is; the person chooses in a list of the editor.
import { l10n } from 'vscode';
import type { Runner } from '../protocol';
import { plain } from '../text/plain';

/** How the way to a runner is, in a few words; '' where nobody has tried it. */
export function wayTo(r: Runner | undefined): string {
  switch (r?.state) {
    case 'reached':
      return r.roundTripMs ? l10n.t('{0} ms', r.roundTripMs) : l10n.t('less than 1 ms');
    case 'reaching':
      return l10n.t('connecting…');
    case 'not_reached':
      return r.reason ? l10n.t('not reached: {0}', plain(r.reason, 120)) : '';
    default:
      return r ? plain(r.state, 40) : l10n.t('not configured any more'); // a word of another version
  }
}

/** Where a session works, with how the way there is. */
export function placeText(runner: string, runners: readonly Runner[]): string {
  if (!runner) return l10n.t('This machine');
  const way = wayTo(runners.find((r) => r.name === runner));
  return way ? l10n.t('{0}, {1}', plain(runner, 40), way) : plain(runner, 40);
}
