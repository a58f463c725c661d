// The sidecar's documents of a question, which a review shows.
import * as vscode from 'vscode';
import { documentOf, heldBy } from '../documents/sides';
import type { Approval } from '../protocol';
import { plain } from '../text/plain';

const scheme = 'agent-diff';

/** Of proposals that can be written in: the first part of the path is the question. */
export const proposalScheme = 'agent-proposal';

/** The sidecar's document of a whole question. It is cut at 256 KiB, and says so itself. */
export const whole = (approvalId: string) => vscode.Uri.from({ scheme, path: `/${approvalId}.diff` });

/** The files of a question, each with its documents before and after. */
export const documents = (approval: Approval) => approval.preview?.documents ?? [];

/** Documents of a review are the sidecar's own: a question cannot have another one opened. */
export function own(uri: string): vscode.Uri {
  const at = documentOf(uri);
  if (at?.scheme !== scheme) throw new Error(vscode.l10n.t('This is not a review: {0}', plain(uri)));
  return at;
}

/** A document of a review, of whichever question. */
export function isReview(uri: vscode.Uri): boolean {
  return uri.scheme === proposalScheme || (heldBy(uri) ?? uri).scheme === scheme;
}

/** The question that a document of a review belongs to. */
export function questionOf(uri: vscode.Uri | undefined, open: readonly Approval[]): Approval | undefined {
  if (uri?.scheme === proposalScheme) return open.find((a) => a.approvalId === uri.path.split('/')[1]);
  const text = uri && (uri.scheme === scheme ? uri : heldBy(uri))?.toString();
  if (text === undefined) return undefined;
  const same = (other: string) => vscode.Uri.parse(other).toString() === text;
  return open.find((a) => text === whole(a.approvalId).toString() || documents(a).some((d) => same(d.before) || same(d.after)));
}
