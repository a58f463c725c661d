// Every word of the page that does not come from the sidecar. English is here,
// Simplified Chinese in strings.zh-cn.ts with the same keys; `hello.strings` of the
// extension may replace single ones. {0}, {1} are what the text is about.
import { visibleLine } from '../text/visible';
import { chinese } from './strings.zh-cn';

export const english = {
  // the head
  sessions: 'Sessions', more: 'More actions', back: 'Back to the chat', exportSession: 'Export', renameSession: 'Rename', deleteSession: 'Delete', forkSession: 'Fork',
  untitled: 'New session', fullAccess: 'Full access',
  placeHere: 'This machine', placeAway: 'on {0}', placeAwayWay: 'on {0}, {1}', placeHint: 'Where the agent reads files and runs commands. Click to change it.', wayMs: '{0} ms', wayShort: 'less than 1 ms', wayConnecting: 'connecting…', wayNotReached: 'not reached', wayNotConfigured: 'not configured any more',
  // the sessions
  searchSessions: 'Search sessions', loadMore: 'Load more', noSessions: 'No sessions yet.', noneFound: 'Nothing found.', state_running: 'running', state_waiting_approval: 'waiting for you', state_interrupted: 'interrupted', state_closed: 'closed', sessionActions: 'Actions for {0}',
  // empty and broken
  emptyTitle: 'What should I work on?', emptyText: 'Ask about this workspace, or tell me what to change.', asksCommands: 'I edit files in this folder directly, and you can undo that. I ask before commands outside the sandbox, unless your rules allow them.', asksEdits: 'I ask before edits and commands, unless your rules allow them.', asksPlan: 'I read and plan. I change nothing.', asksAll: 'I ask before every edit, command and download.', asksNothing: 'I have full access: I edit files and run commands without asking.', emptyMention: 'Type @ to mention a file, a symbol or the problems, / for a command. Paste or drop an image.',
  sidecarStarting: 'The sidecar is starting…', sidecarRestarting: 'The sidecar ended and is being restarted…', sidecarStopped: 'The sidecar is not running.', setPath: 'Set its path', showLog: 'Show the log', restart: 'Restart',
  noModel: 'No model is set.', setKey: 'Set an API key', useLocalServer: 'Use a local server', chooseModel: 'Choose a model', untrusted: 'This folder is not trusted. Until you trust it, I ignore its AGENTS.md and ask before every edit, command and download.', manageTrust: 'Manage trust',
  // the prompt
  prompt: 'Prompt', longText: 'Long text, {0} KiB', promptPlaceholder: 'Ask, or say what to change. @ mentions a file', promptQueue: 'Queue a prompt (Ctrl+Enter: send now)', send: 'Send', sendQueue: 'Add to the queue', stop: 'Stop', attach: 'Attach an image', removeImage: 'Remove image {0}', removeContext: 'Do not send {0}', image: 'Image {0}', files: 'Files', noFiles: 'No such file', mention_problems: 'Problems', mention_changes: 'Uncommitted changes', mention_terminal: 'Output of the last terminal command', context: 'Sent with the prompt: {0}', contextOff: 'Not sent with the prompt: {0}',
  mode: 'Mode', mode_ask: 'Ask', mode_edit: 'Edit', mode_plan: 'Plan', mode_full_access: 'Full access', mode_hint_ask: 'Asks before each edit and command', mode_hint_edit: 'Edits files in a trusted folder. Asks before commands outside the sandbox', mode_hint_plan: 'Reads and plans. Changes nothing', mode_hint_full_access: 'Asks nothing, until you switch back or the editor closes', model: 'Model', modelDefault: 'Default model', otherModel: 'More models…', setEffort: 'Reasoning effort…', effort: 'reasoning effort: {0}',
  editing: 'Editing an earlier prompt. Sending it continues in a fork from there.', cancelEdit: 'Cancel', tooManyImages: 'A prompt can have at most {0} images.', imageTooLarge: 'An image may be at most {0} MiB.', notAnImage: 'Only PNG, JPEG, GIF and WebP images can be attached.', noVision: '{0} may not accept images. It would get a line of text instead.', sendAnyway: 'Send anyway',
  // the queue
  queued: 'Queued', editQueued: 'Edit', removeQueued: 'Remove', steerQueued: 'Send now', saveQueued: 'Save',
  // the status
  thinking: 'thinking…', running: 'running: {0}', writing: 'writing: {0}', waiting: 'waiting for you', retrying: 'retrying in {0} s (attempt {1})', retryingNow: 'retrying (attempt {0})', compacting: 'summarising the conversation…', working: 'working…', failed: 'failed: {0}', contextUsed: 'Context: {0} of {1} tokens ({2} %)', contextUsedOnly: 'Context: {0} tokens',
  // rows
  conversation: 'Conversation', you: 'You', assistant: 'Agent', thought: 'Thought', thinkingNow: 'Thinking…', steering: 'sent to the running task', sidecarNote: 'Added for the model', editPrompt: 'Edit and send again', restoreHere: 'Restore to here: bring the files back to before this prompt, too', copy: 'Copy', insert: 'Insert at the cursor', code: 'Code', table: 'Table', gap: 'Some text is missing.', wholeAnswer: 'Open the full answer', newMessages: 'Jump to the newest', earlier: 'Loading earlier messages…', picture: 'image',
  call: ', {0}', callState_requested: 'planned', callState_waiting: 'needs your approval', callState_running: 'running', callState_completed: 'done', callState_failed: 'failed', callState_rejected: 'rejected', callState_cancelled: 'cancelled', callState_interrupted: 'interrupted',
  truncated: 'truncated', openOutput: 'Open full output', exitCode: 'exit code {0}', input: 'Arguments', output: 'Output', result: 'Result', showAll: 'Show all {0} lines', showLine: 'Show the full line', showLess: 'Show less', outputCut: 'Earlier output was left out.', pruned: 'no longer seen by the model', prunedShort: 'pruned', feedback: 'You said: {0}', allowedOnce: 'allowed once', allowedSession: 'allowed for the session', allowedAlways: 'always allowed', inSandbox: 'in the sandbox', askAgain: 'Ask before commands', diff: 'Changes', pictures: '{0} images', onePicture: '1 image', stopCall: 'Stop this call', stopAgent: 'Stop this agent', calls: '{0} calls', oneCall: '1 call', citations: '{0} of {1} citations verified', oneCitation: '{0} of 1 citation verified', citationsVerified: '{0} citations verified', oneCitationVerified: '1 citation verified', noOutput: 'no output', seconds: '{0} s', minutes: '{0} min {1} s', secondsAndWay: '{0} s · {1} s on the way', wayHint: '{0} s of waiting for the way to the machine that it worked on, and back',
  reason_nothing_to_compact: 'there is nothing to summarise yet', reason_model_auth: 'its key was refused', reason_model_rate_limited: 'too many requests', reason_model_quota: 'its quota is used up', reason_model_overloaded: 'it is overloaded', reason_model_not_found: 'it does not exist there', reason_model_server_error: 'its server had an error', reason_model_unreachable: 'it cannot be reached', reason_content_filter: 'its filter', reason_rested: 'it failed before and is tried again',
  mark_compacting: 'Summarising the conversation', mark_compacted: 'The conversation was summarised: {0} → {1} tokens', mark_not_compacted: 'The conversation could not be summarised: {0}', mark_pruned: 'The model no longer sees {0} results ({1} tokens)', mark_pruned_one: 'The model no longer sees 1 result ({0} tokens)', mark_switched: 'Model {0} → {1} ({2})', mark_loop: 'The run is repeating itself: {0}, {1} times', mark_memory: 'Remembered: {0}', mark_gap: 'Text is missing', mark_continued: 'Continued after an interruption', mark_retried: 'Trying again', mark_mode: 'Full access from here on', mark_asking: '{0} from here on', mark_away: 'Works on {0} from here on', mark_here: 'Works on this machine from here on', mark_unknown: '{0}',
  spent: 'Tokens: {0} in ({1} % cached), {2} out', end_cancelled: 'Stopped', end_limit: 'A limit was reached', end_max_turns: 'The turn limit was reached', end_max_tokens: 'The token limit was reached', end_doom_loop: 'Stopped: it kept repeating itself', end_error: 'The run failed', end_interrupted: 'Interrupted', end_refusal: 'The provider declined to answer', details: 'Details', retry: 'Retry', setKeyOf: 'Set key…', chooseModelOf: 'Choose model…',
  // changes
  filesChanged: '{0} files changed', fileChanged: '1 file changed', openDiff: 'Open the diff of {0}', keep: 'Keep', undo: 'Undo', keepFile: 'Keep the changes to {0}', undoFile: 'Undo the changes to {0}', keepAll: 'Keep all', undoAll: 'Undo all', kept: 'kept', undone: 'undone', kind_created: 'new', kind_modified: 'modified', kind_deleted: 'deleted', kind_moved: 'moved',
  // plan
  plan: 'Plan', planDone: '{0} of {1} done', item_pending: 'to do', item_in_progress: 'in progress', item_completed: 'done', item_cancelled: 'dropped',
  // approvals
  planText: 'The plan', planAccept: 'Accept', planAcceptAsk: 'Accept, ask before edits', planKeep: 'Keep planning…', planSendBack: 'Send back', planEdit: 'Edit the plan', planShow: 'Show the plan', planChanges: 'What should be different? (the agent reads it)', planEmpty: 'The plan is empty.',
  questions: 'Questions for you', asks: 'The agent asks: {0}', answer: 'Answer', dismiss: 'Skip', dismissHint: 'The agent goes on without an answer', ownWords: 'Or in your own words', yourAnswer: 'Your answer', answerOne: 'Answer at least one question, or skip them.', answeredAlready: 'These questions have already been answered.',
  approvals: 'Waiting for your approval', once: 'Allow once', acceptEdited: 'Accept with my changes', editedInReview: 'You have changed this edit in its review. Below is what the agent proposed.', session: 'Allow this session', always: 'Always allow', alwaysOf: 'Always allow…', reject: 'Reject', rejectReason: 'Why not? (optional, the agent reads it)', rejectStop: 'Reject and stop', reviewDiff: 'Review diff', chooseRule: 'What to always allow', ruleStored: '“Always” will allow: {0}', ruleExactly: '“Always” will allow exactly this command', ruleHere: ', in this folder', ruleEverywhere: ', in every folder', verdicts: 'What was decided, and why', verdict_allow: 'allowed', verdict_ask: 'asks', verdict_deny: 'denied', readOn: 'There is more below. Press Enter again to read on.', risk_read: 'Reads files', risk_write: 'Changes files', risk_execute: 'Runs a command', risk_network: 'Uses the network', risk_destructive: 'Destructive', risk_loop: 'Repeats itself', byAgent: 'requested by {0}', stale: 'What would run has changed. Look again.', targets: 'Touches', answerElsewhere: 'Answer it in the window that has this session open.', previewCut: 'Open all of it', lookFirst: 'You have seen only part of it. Look at the rest, then answer.',
  // following
  following: 'Another window has this session open. You can read along.', continueFork: 'Continue in a fork', takeOver: 'Take over', stillLocked: 'The other window still has it open.', interrupted: 'The last run was interrupted.', continueRun: 'Continue',
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
