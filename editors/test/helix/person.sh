# The person in front of Helix: real keys into a real terminal, and what its screen then shows. Sourced by the scenarios.
# $HX and $TMUX_PROGRAM are the programs, $HELIX the version, $LOGS where the wire and the screens are kept; the folder is the workspace.

tmux() { command "$TMUX_PROGRAM" -S "$TMPDIR/tmux" -f /dev/null "$@"; }

# A version that knows window/showMessageRequest pops every question up.
case $HELIX in 25.01*) pops_up='' ;; *) pops_up=yes ;; esac

say() { printf '%s\n' "$*"; }
ok() { say "ok   $*"; }
# failed WHAT: one line that counts, and the screen as it was then, for a reader.
failed() {
	say "FAIL $*"
	{ say "--- $*" && screen; } >>"$LOGS/screens"
}
check() {
	local what=$1
	shift
	if "$@"; then ok "$what"; else failed "$what"; fi
}

# until_true COMMAND…: within ten seconds it succeeds. A terminal tells nobody that it has changed, so it is looked at again and again.
until_true() {
	local _
	for _ in {1..200}; do
		if "$@"; then return 0; fi
		sleep 0.05
	done
	return 1
}
wait_for() {
	local what=$1
	shift
	check "$what" until_true "$@"
}

screen() { tmux capture-pane -p; }
shows() { screen | grep -qF -- "$1"; }
hides() { ! shows "$1"; }
# sent TEXT, got TEXT: it went to the sidecar, came from it.
sent() { grep -aqF -- "$1" "$LOGS/to-sidecar"; }
got() { grep -aqF -- "$1" "$LOGS/from-sidecar"; }
holds() { [ "$(cat "$1" 2>/dev/null)" = "$2" ]; }
keep() { { say "--- $1" && screen | sed 's/ *$//' | cat -s; } >>"$LOGS/screens"; }

# begin FILE: Helix in a terminal of 110 columns, and the sidecar is there.
begin() {
	tmux new-session -d -x 110 -y 30 "exec $HX -v $1"
	wait_for 'Helix shows the file' shows ' NOR '
	wait_for 'Helix has started the sidecar' sent '"method":"initialized"'
	wait_for 'the sidecar knows the file' sent 'textDocument/didOpen'
}

# typed COMMAND: on Helix's own command line.
typed() {
	tmux send-keys -l ":$1"
	until_true shows ":$1" || failed "Helix takes the command :$1"
	tmux send-keys Enter
}
# command NAME [ARGUMENTS]: one of the sidecar's; 25.01 can give it none.
command_of() { typed "lsp-workspace-command agent-sidecar.$1${2:+ $2}"; }

keys() { tmux send-keys "$@"; }

# question TEXT: what is asked stands at a line of the file; where it pops up as well, it is dismissed, which is no answer.
question() {
	if [ -n "$pops_up" ]; then
		wait_for "the question pops up: $1" shows "│ The agent asks: $1"
		keep "the question pops up: $1"
		keys Escape
		until_true hides "│ The agent asks: $1" || failed 'Escape closes the question'
	fi
	wait_for "the question stands at its line: $1" shows "The agent asks: $1"
}

# actions: the titles of the menu of code actions, in its order.
actions() { screen | sed -nE 's/^.{0,4}[0-9~ ]* *((Allow once|Always allow|Always in this workspace|Reject|Review diff): .*|Agent: .*)$/\1/p' | grep -v 'The agent asks'; }
menu() {
	keys Space a
	until_true shows 'Agent: ' || { failed 'Space a opens the menu of code actions'; return 1; }
}
# act TITLE: the code action whose title begins so, with the keys of a person.
act() {
	local n
	menu || return 0
	keep "the menu, to choose: $1"
	n=$(screen | grep -nE '(Allow once|Always allow|Always in this workspace|Reject|Review diff|Agent): ' | grep -v 'The agent asks' | grep -nF -- "$1" | head -1 | cut -d: -f1)
	if [ -z "$n" ]; then
		failed "the menu has: $1"
		keys Escape
		return 0
	fi
	for ((; n > 1; n--)); do keys Down; done
	keys Enter
	until_true hides 'Agent: stop' && until_true hides 'Agent: run on' || failed "the menu closes behind: $1"
	ok "a person chooses: $1"
}

# leave: as a person leaves, whatever is open.
leave() {
	typed 'qa!'
	wait_for 'Helix ends' ended
}
ended() { ! tmux has-session 2>/dev/null; }
