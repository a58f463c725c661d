// The commands that belong to no room of their own.
import { commands, type ExtensionContext, l10n, Uri, window } from 'vscode';
import type { Changes } from '../changes';
import { setEffort, switchMode, switchRunner, useModel } from '../sessions/choose';
import { current } from '../sessions/current';
import { Unavailable } from '../sidecar/api';
import { problemText } from '../sidecar/problems';
import type { SidecarProcess } from '../sidecar/sidecar';
import { runDemo } from '../start/demo';
import { FirstSteps } from '../start/firststeps';
import { type Keys, providerOf } from '../start/keys';
import { chooseLocal } from '../start/localserver';
import { isOf } from '../start/models';
import { pickModel } from '../start/pick';
import { plain } from '../text/plain';
import { chooseTools } from './tools';
import { showUsage } from './usage';

/** What a menu, a key or the chat may give: which session, else the one that is shown; the walkthrough says that it is it. */
interface Target { sessionId?: string; walkthrough?: boolean }

export function registerCommands(context: ExtensionContext, sidecar: SidecarProcess, keys: Keys, changes: Pick<Changes, 'undoLastRun'>): void {
  const on = (name: string, work: (target: Target) => unknown) =>
    context.subscriptions.push(commands.registerCommand(`agentSidecar.${name}`, async (target?: unknown) => {
      try {
        await work(targetOf(target));
      } catch (error) {
        tell(sidecar, error);
      }
    }));

  const steps = new FirstSteps(context, sidecar);
  context.subscriptions.push(steps);
  const use = async (model: string | undefined, { sessionId, walkthrough }: Target) => {
    if (!model) return;
    await useModel(sidecar, model, sessionId);
    await steps.chosen(model, walkthrough);
  };
  const chooseModel = async (provider: string | undefined, target: Target) => use(await pickModel(sidecar, provider), target);
  /** The model that the session asks which is shown, else that of new ones. */
  const inUse = () => (current.id && sidecar.sessions.get(current.id)?.model) || sidecar.model;
  on('setApiKey', async ({ walkthrough }) => {
    const variable = await keys.set(inUse());
    if (!variable) return;
    window.setStatusBarMessage(l10n.t('The key is stored. The sidecar restarts to use it.'), 5000);
    if (!await sidecar.keysChanged()) return; // what runs goes first
    const provider = await providerOf(sidecar, variable);
    if (provider === undefined ? inUse() === '' : !isOf(inUse(), provider)) await chooseModel(provider, { walkthrough });
    else await steps.chosen(inUse(), walkthrough);
  });
  on('removeApiKey', () => keys.remove());
  on('useLocalServer', async (target) => use(await chooseLocal(sidecar), target));
  on('firstPrompt', () => steps.prompt());
  on('firstApprovals', () => steps.approvals());
  on('demo', () => runDemo(sidecar));
  on('selectAgent', ({ sessionId }) => switchMode(sidecar, sessionId)); // an agent is chosen where the mode is
  on('selectModel', (target) => chooseModel(undefined, target));
  on('setEffort', ({ sessionId }) => setEffort(sidecar, sessionId));
  on('switchMode', ({ sessionId }) => switchMode(sidecar, sessionId));
  on('switchRunner', ({ sessionId }) => switchRunner(sidecar, sessionId));
  on('stop', async ({ sessionId }) => {
    const id = sessionId ?? current.id ?? undefined;
    // The one that is shown; where nothing runs in it, whatever runs.
    const here = id && sidecar.sessions.get(id)?.runId ? id : undefined;
    await sidecar.request('agent/cancel', here ? { sessionId: here } : {});
  });
  on('compact', async ({ sessionId }) => {
    const id = sessionOf(sessionId);
    if (!id) return;
    const focus = await window.showInputBox({ title: l10n.t('Agent: Compact Session'), prompt: l10n.t('What must the summary not lose? It may be left empty.') });
    if (focus === undefined) return;
    await sidecar.request('agent/session/compact', { sessionId: id, ...(focus.trim() ? { focus: focus.trim() } : {}) });
  });
  on('undoLastRun', async ({ sessionId }) => {
    const id = sessionOf(sessionId);
    if (id) await changes.undoLastRun(id);
  });
  on('openTranscript', async ({ sessionId }) => {
    const id = sessionOf(sessionId);
    if (id) await commands.executeCommand('agent-sidecar.openTranscript', { sessionId: id });
  });
  on('chooseTools', () => chooseTools());
  on('usage', () => showUsage(sidecar));
  on('restart', () => sidecar.restart());
  on('showOutput', () => sidecar.output.show(true));
  on('openPathSetting', () => commands.executeCommand('workbench.action.openSettings', 'agentSidecar.path'));
  on('openEditorSettings', () => commands.executeCommand('workbench.action.openSettings', `@ext:${context.extension.id}`));
  on('openWalkthrough', () => commands.executeCommand('workbench.action.openWalkthrough', `${context.extension.id}#start`, false));
  on('openSettings', async () => {
    const { openSettings } = await import('../settings/view');
    openSettings(context, sidecar);
  });
  on('permissionRules', async () => {
    const { openSettings } = await import('../settings/view');
    openSettings(context, sidecar, 'rules');
  });
  on('openConfiguration', async () => {
    const { configurationFile } = await import('../settings/file');
    const file = await configurationFile(sidecar);
    if (file) await window.showTextDocument(Uri.file(file));
    else void window.showInformationMessage(l10n.t('There is no configuration file yet. It is created when you first change a setting.'));
  });
}

function targetOf(argument: unknown): Target {
  const id = typeof argument === 'string' ? argument : (argument as Target | null | undefined)?.sessionId;
  const walkthrough = (argument as Target | null | undefined)?.walkthrough === true;
  return { ...(typeof id === 'string' && { sessionId: id }), ...(walkthrough && { walkthrough }) };
}

function sessionOf(given: string | undefined): string | undefined {
  const id = given ?? current.id ?? undefined;
  if (!id) void window.showInformationMessage(l10n.t('No session is shown. Open one first.'));
  return id;
}

function tell(sidecar: SidecarProcess, error: unknown): void {
  if (error instanceof Unavailable) {
    void window.showWarningMessage(problemText(sidecar) ?? l10n.t('The sidecar is not running.'));
    return;
  }
  sidecar.output.warn(String(error));
  void window.showErrorMessage(plain(error instanceof Error ? error.message : String(error), 500));
}
