// The end of a run: why it stopped, where that says something, and the files that it
// changed, each with its diff, Keep and Undo.
import type { FileChange } from '../../protocol';
import { visible } from '../../text/visible';
import { button, el, icon, iconButton } from '../dom';
import { byFile, retried } from '../conversation/fold';
import type { EndRow } from '../conversation/model';
import { t, word } from '../strings';
import type { Chat } from './chat';

export function drawEnd(row: EndRow, chat: Chat): HTMLElement {
  const failed = row.stopReason === 'error' || row.stopReason === 'refusal';
  const said = row.error?.message || row.message;
  const detail = row.error?.detail;
  const open = chat.ui.isOpen(row.key, false);
  return el('article', { class: 'row end' },
    row.stopReason !== 'end_turn' && el('div', { class: `stopped${failed ? ' error' : ''}` }, icon(failed ? 'error' : 'circle-slash'),
      el('span', null, failed && said ? `${word('end', row.stopReason)}: ${visible(said)}` : said ? visible(said) : word('end', row.stopReason))),
    failed && detail && el('div', { class: 'why' },
      el('button', { type: 'button', class: 'fold quiet', 'aria-expanded': String(open), 'data-part': 'detail', onclick: () => { chat.ui.set(row.key, !open); chat.redraw(); } },
        icon(open ? 'chevron-down' : 'chevron-right'), t('details')),
      open && el('div', { class: 'reasoning-text' }, visible(detail))),
    offers(row, chat).length > 0 && el('div', { class: 'ways' }, offers(row, chat).map((what, i) => way(what, i === 0, chat))),
    row.changes.length > 0 && changes(row, chat),
    row.usage && el('div', { class: 'spent' }, spent(row.usage)));
}

/** What a run has cost: `~` is before what was computed from a price. */
export function spent(u: NonNullable<EndRow['usage']>): string {
  const tokens = t('spent', u.inputTokens.toLocaleString(), Math.floor(100 * u.cachedTokens / u.inputTokens), u.outputTokens.toLocaleString());
  return u.cost ? `${tokens} · ${u.cost.estimated ? '~' : ''}${Number(u.cost.amount.toPrecision(4))} ${visible(u.cost.currency)}` : tokens;
}

export type Way = 'retry' | 'setKey' | 'localServer' | 'chooseModel';

/** What helps against an error, the likeliest first. A kind of another version can be tried again. */
const helps: Record<string, Way[]> = {
  model_auth: ['setKey', 'retry', 'chooseModel'],
  model_not_found: ['chooseModel', 'retry'],
  model_not_set: ['setKey', 'localServer', 'chooseModel', 'retry'],
  MODEL_UNAVAILABLE: ['retry', 'chooseModel'],
  model_quota: ['retry', 'chooseModel'],
  model_unreachable: ['retry', 'chooseModel'],
};

/** The ways on that a row offers: only the last one of the conversation, and only while nothing runs. */
export function offers(row: EndRow, chat: Pick<Chat, 'model' | 'readOnly' | 'busy' | 'retries'>): Way[] {
  if (chat.readOnly || chat.busy || chat.model.root.rows.findLast((r) => r.kind === 'end' || r.kind === 'prompt') !== row) return [];
  if (row.stopReason === 'refusal') return ['chooseModel'];
  if (!retried.has(row.stopReason)) return [];
  const { kind } = row.error ?? {};
  const ways: Way[] = kind !== undefined && Object.hasOwn(helps, kind) ? helps[kind] : ['retry'];
  return ways.filter((w) => w !== 'retry' || chat.retries);
}

function way(what: Way, likeliest: boolean, chat: Chat): HTMLElement {
  const command = (name: string) => () => chat.perform({ do: 'command', command: `agentSidecar.${name}` });
  const act = { retry: () => chat.retry(), setKey: command('setApiKey'), localServer: command('useLocalServer'), chooseModel: command('selectModel') }[what];
  const label = { retry: t('retry'), setKey: t('setKeyOf'), localServer: t('useLocalServer'), chooseModel: t('chooseModelOf') }[what];
  return button(label, act, { class: `button small${likeliest ? '' : ' secondary'}`, 'data-part': what });
}

function changes(row: EndRow, chat: Chat): HTMLElement {
  const files = byFile(row.changes);
  const m = chat.model;
  const runId = row.runId ?? '';
  const kept = m.kept.get(runId) ?? new Set<string>();
  const undone = m.undone.get(runId) ?? new Set<string>();
  const open = files.filter((f) => !kept.has(f.path) && !undone.has(f.path));
  const keep = (paths?: string[]) => chat.perform({ do: 'keep', sessionId: m.sessionId, runId, ...(paths && { paths }) });
  const undo = (paths?: string[]) => chat.perform({ do: 'undo', sessionId: m.sessionId, to: { runId }, ...(paths && { paths }) });
  return el('div', { class: 'changes', role: 'group', 'aria-label': title(files.length) },
    el('div', { class: 'changes-head' }, el('span', { class: 'changes-title' }, title(files.length)),
      !chat.readOnly && open.length > 0 && button(t('keepAll'), () => keep(), { class: 'button secondary small', 'data-part': 'keep-all' }),
      !chat.readOnly && open.length > 0 && button(t('undoAll'), () => undo(), { class: 'button secondary small', 'data-part': 'undo-all' })),
    el('ul', { class: 'plain' }, files.map((f) => el('li', { class: 'file' },
      el('button', { type: 'button', class: 'link path', title: t('openDiff', visible(f.path)), 'data-part': `diff ${f.path}`, onclick: () => chat.perform({ do: 'openChange', sessionId: m.sessionId, path: f.path, ...(runId && { runId }) }) },
        name(f)),
      counts(f),
      kept.has(f.path) || undone.has(f.path)
        ? el('span', { class: 'badge' }, t(undone.has(f.path) ? 'undone' : 'kept'))
        : !chat.readOnly && [
          iconButton('check', 'keep', () => keep([f.path]), { title: t('keepFile', visible(f.path)), 'aria-label': t('keepFile', visible(f.path)), 'data-part': `keep ${f.path}` }),
          iconButton('discard', 'undo', () => undo([f.path]), { title: t('undoFile', visible(f.path)), 'aria-label': t('undoFile', visible(f.path)), 'data-part': `undo ${f.path}` }),
        ]))));
}

const title = (n: number) => (n === 1 ? t('fileChanged') : t('filesChanged', n));

export function name(f: FileChange): string {
  return f.from ? `${visible(f.from)} → ${visible(f.path)}` : visible(f.path);
}

export function counts(f: FileChange): HTMLElement {
  return el('span', { class: 'counts' },
    f.kind !== 'modified' && el('span', { class: 'kind' }, word('kind', f.kind)),
    f.additions > 0 && el('span', { class: 'added' }, `+${f.additions}`),
    f.deletions > 0 && el('span', { class: 'removed' }, `−${f.deletions}`));
}
