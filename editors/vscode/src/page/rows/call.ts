// A card for a call: one line with its state, unfolded what it was given and what came
// of it. A sub-agent's own rows follow its card.
import { visible, visibleLine, visibleOutput } from '../../text/visible';
import { el, icon, iconButton } from '../dom';
import type { CallRow, CallState } from '../conversation/model';
import { t, word } from '../strings';
import { drawPictures, type Chat } from './chat';
import { drawDiff, drawText, looksLikeDiff, type Folding } from './diff';
import { counter, seconds, sizeOf } from './counter';
import { counts } from './end';

const stateIcons: Record<CallState, string> = {
  requested: 'circle-outline', waiting: 'question', running: 'loading', completed: 'check', failed: 'error', rejected: 'circle-slash', cancelled: 'debug-stop', interrupted: 'debug-disconnect',
};
const toolIcons: [RegExp, string][] = [
  [/^(bash|shell)/, 'terminal'], [/^(edit|write|apply_patch)/, 'edit'], [/^(read|list)/, 'file'], [/^(grep|glob|search)/, 'search'], [/^web/, 'globe'], [/^task$/, 'organization'], [/^tasks/, 'checklist'], [/^delete/, 'trash'], [/^move/, 'arrow-right'],
];

export function drawCall(row: CallRow, chat: Chat): HTMLElement {
  const going = live(row);
  const diff = diffOf(row);
  const open = row.agent ? agentOpen(row, chat) : chat.ui.isOpen(row.key, going ? !!row.output : diff !== undefined && row.state === 'completed' && row.changes.length > 0);
  const title = titleOf(row);
  const state = word('callState', row.state);
  const toggle = el('button', {
    type: 'button', class: 'fold call-head', 'aria-expanded': String(open), 'data-part': 'fold',
    onclick: () => { chat.ui.set(row.key, !open); if (!open) chat.unfolded(row); chat.redraw(); },
  },
    icon(stateIcons[row.state] ?? 'circle-outline', `state${row.state === 'running' ? ' codicon-modifier-spin' : ''}`),
    icon(toolIcons.find(([r]) => r.test(row.tool))?.[1] ?? 'tools', 'tool'),
    el('span', { class: 'call-title' }, visibleLine(title)),
    el('span', { class: 'hidden-label' }, t('call', state)),
    badges(row));
  return el('article', { class: `row call ${row.state}${row.agent ? ` agent${open && tellsAll(row) ? ' tells-all' : ''}` : ''}`, 'data-call': row.callId },
    el('div', { class: 'call-line' }, toggle,
      going && !chat.readOnly && (row.agent
        ? iconButton('debug-stop', 'stopAgent', () => chat.stopAgent(row.agent!.path), { 'data-part': 'stop' })
        : iconButton('debug-stop', 'stopCall', () => chat.stopCall(row), { 'data-part': 'stop' }))),
    row.truncated && el('div', { class: 'truncated-line' }, el('span', { class: 'badge truncated' }, t('truncated')),
      row.artifact && [el('button', { type: 'button', class: 'link', 'data-part': 'artifact', onclick: () => chat.perform({ do: 'openArtifact', artifact: row.artifact! }) }, t('openOutput')),
        el('span', { class: 'quiet path', title: visible(row.artifact.path) }, visible(row.artifact.path))]),
    open && body(row, diff, chat));
}

const live = (row: CallRow) => row.state === 'running' || row.state === 'waiting';

const titleOf = (row: CallRow) => (row.agent && !row.title ? `${row.agent.name}: ${row.agent.prompt}` : row.title || row.tool);

/** Unfolded, such a title is shown whole, and what the sub-agent was asked is not said again. */
const tellsAll = (row: CallRow) => row.agent !== undefined && visibleLine(titleOf(row)).endsWith(visibleLine(row.agent.prompt)) && row.agent.prompt.length <= 300;

/** A sub-agent's rows are shown while it works, and as long as they are here. */
export function agentOpen(row: CallRow, chat: Chat): boolean {
  return chat.ui.isOpen(row.key, row.state === 'running' || row.state === 'waiting' || !!chat.model.agents.get(row.callId)?.some((x) => x.rows.length));
}

function badges(row: CallRow): HTMLElement {
  const said = row.decided?.answer;
  return el('span', { class: 'badges' },
    row.changes.map((c) => counts(c)).slice(0, 1),
    row.exitCode !== undefined && row.exitCode !== 0 && el('span', { class: 'badge bad' }, t('exitCode', row.exitCode)),
    said === 'once' ? allowed(t('allowedOnce')) : said === 'session' ? allowed(t('allowedSession')) : said === 'always' ? allowed(t('allowedAlways'))
      : row.decided?.by === 'sandbox' ? allowed(t('inSandbox'), 'shield') : null,
    row.agent?.calls !== undefined && el('span', { class: 'badge' }, row.agent.calls === 1 ? t('oneCall') : t('calls', row.agent.calls)),
    row.pruned && el('span', { class: 'badge', title: t('pruned') }, t('prunedShort')),
    live(row) && row.begun ? counter(row.begun, row.printed) : factsOf(row) && el('span', { class: 'quiet time', title: row.wayMs ? t('wayHint', seconds(row.wayMs)) : undefined }, factsOf(row)));
}

/** How long a call took, and how much came of it. */
const factsOf = (row: CallRow) => [timeOf(row), row.agent ? '' : sizeOf(row.artifact?.bytes ?? new Blob([row.text]).size)].filter(Boolean).join(' · ');

/** How long a call took, where that is worth a word, and how much of it was the way to its machine. */
export function timeOf({ durationMs = 0, wayMs = 0 }: Pick<CallRow, 'durationMs' | 'wayMs'>): string {
  if (wayMs >= 500) return t('secondsAndWay', seconds(durationMs), seconds(wayMs));
  return durationMs >= 1000 ? t('seconds', seconds(durationMs)) : '';
}

/** Where there is little room the title needs it more: then the words are in the tooltip, and for those who do not see. */
const allowed = (words: string, by = 'person') => el('span', { class: 'badge said', title: words }, icon(by), el('span', { class: 'said-words' }, words));

function body(row: CallRow, diff: string | undefined, chat: Chat): HTMLElement {
  const fold = (name: string, lines: number): Folding => {
    const key = `${row.key}!${name}`;
    const open = chat.ui.isOpen(key, false);
    return { lines, open, toggle: () => { chat.ui.set(key, !open); chat.redraw(); } };
  };
  const parts: (HTMLElement | null | false)[] = [];
  if (row.agent) {
    const a = row.agent;
    if (!tellsAll(row)) parts.push(el('div', { class: 'agent-prompt' }, el('span', { class: 'badge' }, visibleLine(a.name || a.path)), ' ', visibleLine(a.prompt)));
    if (a.citations && a.citations.ok + a.citations.bad > 0) parts.push(el('div', { class: 'quiet small' }, checked(a.citations)));
  } else if (!diff) {
    const given = inputText(row.input);
    if (given) parts.push(labelled(t('input'), drawText(visible(given), fold('input', 12), t('input'))));
  }
  if (diff) parts.push(drawDiff(diff, fold('diff', 20)));
  if (row.outputCut) parts.push(el('div', { class: 'quiet small' }, t('outputCut')));
  const finished = row.state !== 'running' && row.state !== 'waiting' && row.state !== 'requested';
  if (row.output && (!finished || !row.text)) parts.push(labelled(t('output'), drawText(visibleOutput(row.output), fold('output', 16), t('output'), true)));
  const text = diff && row.text.includes('\n--- ') ? row.text.slice(0, row.text.indexOf('\n--- ')) : row.text;
  const seen = row.agent && chat.model.agents.get(row.callId)?.some((x) => x.rows.length); // its last answer stands below
  if (finished && text && !seen && !(diff && row.state === 'completed')) parts.push(labelled(t('result'), drawText(visibleOutput(text), fold('text', 16), t('result'))));
  if (finished && !text && !row.output) parts.push(el('div', { class: 'quiet small' }, t('noOutput')));
  parts.push(drawPictures(row.images, row.key, chat));
  if (row.exitCode === 0) parts.push(el('div', { class: 'quiet small' }, t('exitCode', 0)));
  if (row.feedback) parts.push(el('div', { class: 'feedback' }, icon('comment'), t('feedback', visible(row.feedback))));
  return el('div', { class: 'call-body' }, ...parts);
}

const labelled = (label: string, node: HTMLElement) => el('div', { class: 'part' }, el('div', { class: 'part-label' }, label), node);

/** How many places of an answer were looked at, and how many of those say what was claimed. */
function checked({ ok, bad }: { ok: number; bad: number }): string {
  if (bad === 0) return ok === 1 ? t('oneCitationVerified') : t('citationsVerified', ok);
  return ok + bad === 1 ? t('oneCitation', ok) : t('citations', ok, ok + bad);
}

/** The diff of a change: of its result, else of the question that was asked about it. */
export function diffOf(row: CallRow): string | undefined {
  if (looksLikeDiff(row.text) && row.changes.length) return row.text.slice(row.text.search(/^--- /m));
  if (row.diff && (row.state === 'waiting' || row.state === 'running' || row.changes.length)) return row.diff;
  return undefined;
}

function inputText(input: unknown): string {
  if (input === undefined || input === null) return '';
  if (typeof input === 'object' && !Array.isArray(input)) {
    const entries = Object.entries(input as Record<string, unknown>);
    if (!entries.length) return '';
    if (entries.every(([, v]) => typeof v !== 'object' || v === null)) {
      if (entries.length === 1) return String(entries[0][1]);
      return entries.map(([k, v]) => `${k}: ${typeof v === 'string' && v.includes('\n') ? `\n${v}` : String(v)}`).join('\n');
    }
  }
  return JSON.stringify(input, null, 2);
}

/** Arguments that the model is still writing. */
export function drawWriting(w: { tool: string; bytes: number }): HTMLElement {
  return el('article', { class: 'row call writing' }, el('div', { class: 'call-line' }, el('span', { class: 'fold call-head' },
    icon('loading', 'state codicon-modifier-spin'), icon(toolIcons.find(([r]) => r.test(w.tool))?.[1] ?? 'tools', 'tool'),
    el('span', { class: 'call-title quiet' }, visibleLine(w.tool)), el('span', { class: 'badges' }, el('span', { class: 'quiet time' }, w.bytes >= 1024 ? `${(w.bytes / 1024).toFixed(1)} KiB` : '')))));
}
