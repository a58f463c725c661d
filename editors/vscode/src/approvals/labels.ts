// The sidecar's own words for answers, where the usual ones would mislead.
import type { Approval } from '../protocol';
import { plain } from '../text/plain';

export function labelOf(approval: Pick<Approval, 'labels'>, decision: string): string | undefined {
  const { labels } = approval;
  return (labels && Object.hasOwn(labels, decision) && plain(labels[decision]!, 60).replace(/[[\]]/g, '')) || undefined;
}
