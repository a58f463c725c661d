// Every word of the page that does not come from the sidecar. English stands here,
// Simplified Chinese in strings.zh-cn.ts with the same keys; `hello.strings` of the
// extension may replace single ones. {0}, {1} are what the text speaks of.
import { visibleLine } from '../text/visible';
import { chinese } from './strings.zh-cn';

export const english = {
  // the head
  newSession: 'New session', sessions: 'Sessions', more: 'More actions', back: 'Back to the chat', compact: 'Summarise the conversation', exportSession: 'Export', renameSession: 'Rename', deleteSession: 'Delete', forkSession: 'Fork',
  untitled: 'New session', fullAccess: 'Full access', fullAccessHint: 'Nothing is asked in this session. Choose Agent to be asked again.',
  // the sessions
  searchSessions: 'Search sessions', loadMore: 'Load more', noSessions: 'There is no session yet.', noneFound: 'Nothing was found.', state_running: 'running', state_waiting_approval: 'waiting for you', state_interrupted: 'interrupted', state_closed: 'closed', sessionActions: 'Actions for {0}',
  // empty and broken
  emptyTitle: 'What shall be done?', emptyText: 'Ask about this workspace, or have something changed. Commands and edits are asked about first.', emptyMention: 'Type @ to name a file. Paste or drop a picture.',
  sidecarStarting: 'The sidecar is starting…', sidecarRestarting: 'The sidecar ended and is being started again…', sidecarStopped: 'The sidecar is not running.', setPath: 'Set its path', showLog: 'Show the log', restart: 'Start again',
  noModel: 'No model is set up.', setKey: 'Set an API key', openSettings: 'Settings', untrusted: 'This folder is not trusted. Everything that the agent wants to change or run is asked about.', manageTrust: 'Manage trust',
  // the prompt
  prompt: 'Prompt', longText: 'Long text, {0} KiB', promptPlaceholder: 'Ask, or say what to change. @ names a file', promptQueue: 'Queue a prompt (Ctrl+Enter: hand it over now)', send: 'Send', sendQueue: 'Add to the queue', stop: 'Stop', attach: 'Attach a picture', removeImage: 'Remove picture {0}', removeContext: 'Do not send {0}', image: 'Picture {0}', files: 'Files', noFiles: 'No such file', context: 'Send with the prompt: {0}', contextOff: 'Not sent with the prompt: {0}',
  mode: 'Mode', mode_agent: 'Agent', mode_full_access: 'Agent – full access', modeAgentHint: 'Asks before it changes or runs something that no rule allows', modeFullHint: 'Runs everything without asking', agent: 'Agent', model: 'Model', modelDefault: 'Default model', otherModel: 'More models…',
  editing: 'Editing an earlier prompt. Sending it continues in a fork from there.', cancelEdit: 'Leave it as it was', tooManyImages: 'At most {0} pictures go with a prompt.', imageTooLarge: 'A picture may be at most {0} MiB.', notAnImage: 'Only PNG, JPEG, GIF and WebP pictures can be attached.',
  // the queue
  queued: 'Waiting prompts', editQueued: 'Edit', removeQueued: 'Remove', steerQueued: 'Hand it to the run now', saveQueued: 'Save',
  // the status
  thinking: 'thinking…', running: 'running: {0}', writing: 'writing: {0}', waiting: 'waiting for you', retrying: 'trying again in {0} s (attempt {1})', retryingNow: 'trying again (attempt {0})', compacting: 'summarising the conversation…', working: 'working…', failed: 'failed: {0}', contextUsed: 'Context: {0} of {1} tokens ({2} %)', contextUsedOnly: 'Context: {0} tokens',
  // rows
  conversation: 'Conversation', you: 'You', assistant: 'Agent', thought: 'Thought', thinkingNow: 'Thinking…', steering: 'handed to the run', sidecarNote: 'Note of the sidecar', editPrompt: 'Edit and send again', copy: 'Copy', insert: 'Insert at the cursor', code: 'Code', table: 'Table', gap: 'Some text was left out on the way.', wholeAnswer: 'Open the whole answer', newMessages: 'To the newest', earlier: 'Loading earlier messages…', picture: 'picture',
  call: ', {0}', callState_requested: 'planned', callState_waiting: 'waiting for you', callState_running: 'running', callState_completed: 'done', callState_failed: 'failed', callState_rejected: 'rejected', callState_cancelled: 'cancelled', callState_interrupted: 'interrupted',
  truncated: 'truncated', openOutput: 'Open full output', exitCode: 'exit code {0}', input: 'Arguments', output: 'Output', result: 'Result', showAll: 'Show all {0} lines', showLine: 'Show the whole line', showLess: 'Show less', outputCut: 'Earlier output was left out.', pruned: 'no longer seen by the model', prunedShort: 'pruned', feedback: 'You said: {0}', allowedOnce: 'allowed once', allowedSession: 'allowed for the session', allowedAlways: 'always allowed', diff: 'Changes', pictures: '{0} pictures', onePicture: '1 picture', stopCall: 'Stop this call', stopAgent: 'Stop this agent', calls: '{0} calls', oneCall: '1 call', citations: '{0} places checked, {1} wrong', oneCitation: '1 place checked, {0} wrong', noOutput: 'no output', seconds: '{0} s',
  reason_nothing_to_compact: 'there is nothing yet that a summary could replace', reason_model_auth: 'its key was refused', reason_model_rate_limited: 'too many requests', reason_model_quota: 'its quota is used up', reason_model_overloaded: 'it is overloaded', reason_model_not_found: 'it does not exist there', reason_model_server_error: 'an error of its server', reason_model_unreachable: 'it cannot be reached', reason_content_filter: 'its filter', reason_rested: 'it had failed and is asked again',
  mark_compacting: 'Summarising the conversation', mark_compacted: 'The conversation was summarised: {0} → {1} tokens', mark_not_compacted: 'The conversation could not be summarised: {0}', mark_pruned: '{0} results are no longer seen by the model ({1} tokens)', mark_pruned_one: '1 result is no longer seen by the model ({0} tokens)', mark_switched: 'Model {0} → {1} ({2})', mark_loop: 'The run goes in circles: {0}, {1} times', mark_memory: 'Remembered: {0}', mark_gap: 'Text was left out', mark_continued: 'Continued what was interrupted', mark_mode: 'Full access from here on', mark_asking: 'Asks again from here on', mark_unknown: '{0}',
  end_cancelled: 'Stopped', end_limit: 'A limit was reached', end_max_turns: 'The limit of turns was reached', end_max_tokens: 'The limit of tokens was reached', end_doom_loop: 'Stopped: it went in circles', end_error: 'The run failed', end_interrupted: 'Interrupted',
  // changes
  filesChanged: '{0} files changed', fileChanged: '1 file changed', openDiff: 'Open the diff of {0}', keep: 'Keep', undo: 'Undo', keepFile: 'Keep the change of {0}', undoFile: 'Undo the change of {0}', keepAll: 'Keep all', undoAll: 'Undo all', kept: 'kept', undone: 'undone', kind_created: 'new', kind_modified: 'modified', kind_deleted: 'deleted', kind_moved: 'moved',
  // plan
  plan: 'Plan', planDone: '{0} of {1} done', item_pending: 'to do', item_in_progress: 'in progress', item_completed: 'done', item_cancelled: 'dropped',
  // approvals
  approvals: 'Questions to you', once: 'Once', session: 'This session', always: 'Always', reject: 'Reject', rejectReason: 'Why not? (optional, the agent reads it)', rejectStop: 'Reject and stop', reviewDiff: 'Review diff', chooseRule: 'Which rule to store', ruleStored: 'Stores the rule: {0}', risk: 'Risk: {0}', risk_read: 'reads', risk_write: 'writes', risk_execute: 'executes', risk_network: 'network', risk_destructive: 'destructive', risk_loop: 'loop', byAgent: 'asked by {0}', stale: 'What would run has changed. Look again.', targets: 'Touches', answerElsewhere: 'Answer it in the window that has the session.', previewCut: 'Open all of it', lookFirst: 'Only a part of it was shown. Look at the rest, then answer.',
  // following
  following: 'Another window has this session. You can read along.', continueFork: 'Continue in a fork', takeOver: 'Take over', stillLocked: 'The other window still has it.', interrupted: 'The last run was interrupted.', continueRun: 'Continue',
  // what went wrong

};
export type Key = keyof typeof english;

let table: Record<string, string> = english;

/** Chooses the language, once, before anything is drawn. */
export function speak(locale: string, replaced: Record<string, string> = {}): void {
  table = { ...english, ...(/^zh(-|_|$)/i.test(locale) ? chinese : {}), ...replaced };
}

export function t(key: Key, ...args: (string | number)[]): string {
  return table[key].replace(/\{(\d)\}/g, (_, i: string) => String(args[Number(i)] ?? ''));
}

/** The word for a value of the protocol; one that is not known is shown as it is. */
export function word(prefix: string, value: string): string {
  return Object.hasOwn(table, `${prefix}_${value}`) ? table[`${prefix}_${value}`] : visibleLine(value);
}
