// A problem that another extension or server reports can be given to the agent: one run
// with the problem and its lines, as an edit at that place.
import * as vscode from 'vscode';
import type { Sidecar } from '../sidecar/api';
import { problemOf, type Problem } from './words';

const command = 'agentSidecar.fixProblem';

export function fixes(sidecar: Pick<Sidecar, 'state'>, edit: (document: vscode.TextDocument, range: vscode.Range, problem: Problem) => Promise<unknown>): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, {
      provideCodeActions(document, _, context) {
        const problem = context.diagnostics.find((d) => d.source !== 'agent');
        if (!problem || sidecar.state !== 'running') return [];
        const action = new vscode.CodeAction(vscode.l10n.t('Fix with agent'), vscode.CodeActionKind.QuickFix);
        action.diagnostics = [problem];
        action.command = { command, title: action.title, arguments: [document.uri, problem.range, problemOf(problem)] };
        return [action];
      },
    }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }),
    vscode.commands.registerCommand(command, async (uri: vscode.Uri, range: vscode.Range, problem: Problem) => {
      const document = await vscode.workspace.openTextDocument(uri);
      await edit(document, document.validateRange(range), problem);
    }),
  );
}
