// What a person has asked for and what came of it, where nothing else shows it.
import * as vscode from 'vscode';
import { plain } from '../text/plain';
import { failure } from './failure';

/** What fails is said in one line; nothing is thrown at the editor. */
export async function attempt<T>(what: () => Promise<T>): Promise<T | undefined> {
  try {
    return await what();
  } catch (error) {
    const { message, kind } = failure(error);
    void vscode.window.showErrorMessage(kind === 'unavailable' ? vscode.l10n.t('The sidecar is not running.') : plain(message, 500));
    return undefined;
  }
}
