# The main job: a prompt, a review, a yes by code action, a changed file, an artifact, an exploration, an undo, and a no.
before=$'as it was\n@agent Change the note.'
say "$before" >note.md
mkdir .git # the folder that is worked in, for Helix and so for the sidecar, is the repository

# prompt: by its command, or where a command can be given no words by the line of the file that holds them.
prompt() {
	if [ -n "$pops_up" ]; then
		command_of run '"Change the note."'
	else
		keys g e
		act 'Agent: “Change the note.”'
	fi
}
session() { find "$HOME/.agent-sidecar/sessions" -name "$1" | head -1; }
home() { say "~${1#"$HOME"}"; }

begin note.md
prompt
wait_for 'the run is started' got '"disposition":"started"'
[ -n "$pops_up" ] || wait_for 'the message request is not known to Helix' sent '"code":-32601'
popup 'Do you trust the files in'
[ -n "$pops_up" ] || wait_for 'progress shows below the status line' shows 'waiting for you: edit note.md'
popup 'edit note.md'
if [ -n "$pops_up" ]; then
	wait_for 'the transcript opens by itself' shows '# Agent session 0001'
	go_to note.md
fi
wait_for 'the question stands at its line' shows 'The agent asks: edit note.md'
wait_for 'progress says what it waits for' got 'waiting for you: edit note.md'
check 'nothing has run' holds note.md "$before"
act 'Not now: '
wait_for 'trust is refused' hides 'Do you trust'
menu
check 'an edit that was not seen is not to be allowed' hides 'Allow once: edit'
keys Escape
wait_for 'Escape closes the menu' hides 'Review diff: edit'

act 'Review diff: edit note.md'
wait_for 'the review is written' test -e "$(session reviews)"
opened '+as it is' "$(home "$(find "$(session reviews)" -name '*.diff')")"
popup 'edit note.md' # once more: now there is a yes in it
act 'Allow once: edit note.md'
wait_for 'the file is changed on disk' holds note.md "${before/as it was/as it is}"
popup 'bash: seq 1 20000'
go_to note.md
wait_for 'the person sees the change' shows 'as it is'

wait_for 'the command is asked about at a line of the note' shows 'The agent asks: seq 1 20000'
act 'Allow once: seq 1 20000'
wait_for 'the last word of the agent is shown' shows 'The note is changed and explored.'
keep 'the end of a run'

command_of openArtifact
opened ' 20  20' "$(cd .agent-output && find . -name '*bash*.txt' | sed 's|^\.|.agent-output|' | head -1)"
keys g e
wait_for 'the artifact holds all of it' shows '20000  20000'
command_of openTranscript
opened '# Agent session 0001' "$(home "$(session transcript.md)")"
typed reload-all # Helix opened it when the run began
wait_for 'the transcript has the sub-agent' shows 'explore#1'
check 'and that the output was truncated' shows 'truncated'

command_of undo
wait_for 'the file is as it was' holds note.md "$before"
wait_for 'the person is told so' got '1 file is as it was before'
go_to note.md
wait_for 'the person sees it' shows 'as it was'

prompt
question 'echo changed > note.md' bash
act 'Reject: echo changed > note.md'
wait_for 'the agent goes on behind the no' shows 'I leave it as it was.'
check 'the file is untouched' holds note.md "$before"
leave
