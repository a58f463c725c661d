// The rules of permission that are stored, in words, and what else the person has set up: MCP
// servers, hooks, agents. A rule is taken out after one question, by the sidecar.
import { env, l10n, Uri, window } from 'vscode';
import type { AgentInfo, ListedRule, MCPServer, Requests } from '../protocol';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';
import { plainRule } from '../text/plainname';
import { visible } from '../text/visible';
import type { RuleName, RuleRow, SetUp, Sign } from './words';

type Rules = Requests['agent/rules']['result'];

/** What a person or an answer of theirs has stored: only that can be taken out. */
const stored = new Set(['config', 'always']);

const domains = (): Record<string, string> => ({
  read: l10n.t('Reading files'), edit: l10n.t('Changing files'), bash: l10n.t('Commands'), web_fetch: l10n.t('Web pages'), web_search: l10n.t('Web search'),
  mcp: l10n.t('Tools of MCP servers'), tool: l10n.t('Own tools'), internal: l10n.t('Built-in tools'),
});
const decisions = (): Record<string, string> => ({ allow: l10n.t('Allow'), ask: l10n.t('Ask'), deny: l10n.t('Deny') });
const sources = (): Record<string, string> => ({
  always: l10n.t('from an answer of yours'), config: l10n.t('from the configuration file'), inline: l10n.t('set by the editor’s own settings'), settings: l10n.t('follows from another setting'), 'built-in': l10n.t('built in'),
});

export function rowsOf({ rules, workspace }: Rules): RuleRow[] {
  return rules.map((r) => ({
    rule: { domain: r.domain, pattern: r.pattern, decision: r.decision, source: r.source, index: r.index },
    stored: stored.has(r.source),
    domain: plain(domains()[r.domain] ?? r.domain, 100), decision: plain(decisions()[r.decision] ?? r.decision, 100), pattern: visible(plainRule(r.domain, r.pattern)),
    about: [scope(r, workspace), ...(r.runner ? [l10n.t('on {0}', plain(r.runner, 100))] : []), origin(r)].join(' · '),
    ...(r.problem && { problem: plain(r.problem, 500) }),
  }));
}

function scope(r: ListedRule, workspace: string | undefined): string {
  if (!r.workspace) return l10n.t('in every folder');
  return r.workspace === workspace ? l10n.t('in this folder') : l10n.t('in another folder ({0})', plain(r.workspace, 80));
}

const origin = (r: ListedRule): string => (r.line && r.source !== 'always' ? `${sources()[r.source] ?? plain(r.source, 40)}, ${l10n.t('line {0}', r.line)}` : sources()[r.source] ?? plain(r.source, 40));

type Members = Record<string, unknown>;
const isMembers = (v: unknown): v is Members => typeof v === 'object' && v !== null && !Array.isArray(v);

const states = (): Record<string, string> => ({ ready: l10n.t('on'), failed: l10n.t('does not run'), needs_sign_in: l10n.t('needs sign-in') });

/** What the configuration says of servers and hooks, which agents there are, and how the servers are now. */
export function setUpOf(effective: Record<string, unknown>, agents: readonly AgentInfo[], now: readonly MCPServer[]): SetUp[] {
  const { mcp, hooks } = effective;
  const servers = Object.entries(isMembers(mcp) ? mcp : {}).map(([name, s]) => {
    const is = now.find((n) => n.name === name);
    return {
      name: plain(name, 100), state: states()[is?.state ?? ''] ?? (isMembers(s) && s.enabled === false ? l10n.t('off') : l10n.t('on')),
      ...(is?.problem && { about: plain(is.problem, 500) }),
      ...(is?.maySignIn && (is.signedIn || is.state === 'needs_sign_in') && { sign: { op: is.signedIn ? 'signOut' : 'signIn', server: name } as Sign }),
    };
  });
  const events = Object.entries(isMembers(hooks) ? hooks : {}).map(([event, list]) => {
    const n = Array.isArray(list) ? list.length : 0;
    return { name: plain(event, 100), state: n === 1 ? l10n.t('1 program') : l10n.t('{0} programs', n) };
  });
  const own = agents.map((a) => ({ name: plain(a.name, 100), state: [a.mode === 'subagent' ? l10n.t('sub-agent') : '', a.readOnly ? l10n.t('only reads') : ''].filter(Boolean).join(' · '), about: plain(a.description, 300) }));
  return [{ kind: 'servers', items: servers }, { kind: 'hooks', items: events }, { kind: 'agents', items: own }];
}

/** Signs in to a server, or out, after a yes; false without one. The page is not believed: only a server of the list is meant. */
export async function signInOrOut(sidecar: Pick<SidecarProcess, 'request'>, { op, server }: Sign): Promise<boolean> {
  const { servers } = await sidecar.request('agent/mcp', { op: 'list' });
  if (!servers.some((s) => s.name === server && s.maySignIn)) throw new Error(l10n.t('This server is not there any more.'));
  const yes = op === 'signIn' ? l10n.t('Sign in') : l10n.t('Sign out');
  if (await window.showInformationMessage(l10n.t('MCP server {0}', plain(server, 100)), { modal: true }, yes) !== yes) return false;
  const { url } = await sidecar.request('agent/mcp', { op, server });
  if (url) await env.openExternal(Uri.parse(url, true));
  return true;
}

/** Takes a rule out, after a yes; false where there was none. The page is not believed: only a rule of the list is taken. */
export async function removeRule(sidecar: Pick<SidecarProcess, 'request'>, named: RuleName): Promise<boolean> {
  const listed = await sidecar.request('agent/rules', { op: 'list' });
  const same = (r: ListedRule) => stored.has(r.source) && r.source === named.source && r.index === named.index && r.domain === named.domain && r.pattern === named.pattern && r.decision === named.decision;
  const at = listed.rules.findIndex(same);
  if (at < 0) throw new Error(l10n.t('This rule is not there any more.'));
  const row = rowsOf(listed)[at];
  const yes = l10n.t('Remove');
  const answer = await window.showWarningMessage(l10n.t('Remove this rule?'), { modal: true, detail: `${row.decision}: ${row.domain}\n${plain(row.pattern, 500)}\n${row.about}` }, yes);
  if (answer !== yes) return false;
  const { domain, pattern, decision, workspace, runner, exact, by, source, index } = listed.rules[at];
  await sidecar.request('agent/rules', { op: 'remove', rule: { domain, pattern, decision: decision as RuleParamsDecision, ...(workspace && { workspace }), ...(runner && { runner }), ...(exact && { exact }), ...(by && { by }), source, index } });
  return true;
}

type RuleParamsDecision = NonNullable<NonNullable<Requests['agent/rules']['params']['rule']>['decision']>;
