// Where the session works: on this machine, or on that of a runner, with how the way there is.
import type { Runner } from '../protocol';
import { visibleLine } from '../text/visible';
import { t } from './strings';

export interface Place { text: string; hint: string; kind: 'here' | 'away' | 'bad' }

/** undefined: there is no other machine to work on, so nothing is to be said. */
export function placeOf(runner: string | undefined, runners: readonly Runner[] = []): Place | undefined {
  if (!runner) return runners.length ? { text: t('placeHere'), hint: t('placeHint'), kind: 'here' } : undefined;
  const name = visibleLine(runner);
  const known = runners.find((r) => r.name === runner);
  const place = (way: string, kind: Place['kind'] = 'away'): Place => ({ text: way ? t('placeAwayWay', name, way) : t('placeAway', name), hint: t('placeHint'), kind });
  if (!known) return place(t('wayNotConfigured'), 'bad');
  switch (known.state) {
    case 'reached': return place(known.roundTripMs ? t('wayMs', known.roundTripMs) : t('wayShort'));
    case 'reaching': return place(t('wayConnecting'));
    case 'not_reached': return known.reason ? { ...place(t('wayNotReached'), 'bad'), hint: `${visibleLine(known.reason)}\n${t('placeHint')}` } : place('');
    default: return place(visibleLine(known.state)); // a word of another version
  }
}
