// What only an editor can do, done for the page. Each action was decoded by read.ts; what
// it answers goes back to the page as it is.
import * as vscode from 'vscode';
import type { Approvals } from '../approvals';
import type { Changes } from '../changes';
import { openArtifact } from '../documents/artifacts';
import { changeTo } from '../modes';
import type { Sessions } from '../sessions';
import { setMode, useAgent } from '../sessions/mode';
import type { Sidecar } from '../sidecar/api';
import type { SidecarProcess } from '../sidecar/sidecar';
import { plain } from '../text/plain';
import { attached } from './context';
import { insert } from './insert';
import { mentions } from './mentions';
import type { Action } from './messages';
import { openLink, openPlace } from './open';

export interface Rooms { sessions: Sessions; approvals: Approvals; changes: Changes; commands: ReadonlySet<string> }

export async function perform(sidecar: Sidecar & Pick<SidecarProcess, 'sessions'>, rooms: Rooms, action: Action): Promise<unknown> {
  switch (action.do) {
    case 'open':
      return openPlace(action.path, action.line, action.endLine);
    case 'openLink':
      return openLink(action.href);
    case 'openArtifact':
      return openArtifact(sidecar, action.artifact);
    case 'reviewDiff':
      // The question that is open under this id is shown, not what the page has of it.
      return rooms.approvals.reviewById(action.approval.approvalId);
    case 'acceptEdited':
      return rooms.approvals.acceptEdited(action.approvalId, action.digest);
    case 'openChange':
      return rooms.changes.open(action.sessionId, action.path, action.runId);
    case 'undo':
      return rooms.changes.undo(action.sessionId, action.to, action.paths);
    case 'restore':
      return rooms.changes.restore(action.sessionId, action.seq);
    case 'keep':
      return rooms.changes.keep(action.sessionId, action.runId, action.paths);
    case 'copy':
      return vscode.env.clipboard.writeText(action.text);
    case 'insert':
      return insert(action.text);
    case 'mention':
      return mentions(action.query);
    case 'attach':
      return attached(action.what);
    case 'setMode':
      return setMode(sidecar, action.sessionId, changeTo(action.mode));
    case 'setAgent':
      return useAgent(sidecar, action.sessionId, action.agent);
    case 'askAgain':
      await sidecar.request('agent/config', { op: 'set', key: 'agents.runtime.sandbox.autoAllow', value: 'off' });
      return void vscode.window.showInformationMessage(vscode.l10n.t('The agent asks before it runs commands.'));
    case 'rename':
      return rooms.sessions.rename(action.sessionId);
    case 'delete':
      return rooms.sessions.remove(action.sessionId);
    case 'export':
      return (await rooms.sessions.export(action.sessionId))?.fsPath;
    case 'command':
      if (!rooms.commands.has(action.command)) throw new Error(vscode.l10n.t('The extension has no such command: {0}', plain(action.command)));
      return void (await vscode.commands.executeCommand(action.command));
  }
}
