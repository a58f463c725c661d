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
	patience=20
	{ say "--- $*" && screen; } >>"$LOGS/screens"
}
check() {
	local what=$1
	shift
	if "$@"; then ok "$what"; else failed "$what"; fi
}

# until_true COMMAND…: it succeeds within half a minute. A terminal tells nobody that it has changed, so it is looked at again and again.
patience=600 # looks; less once something failed, because what comes behind it mostly fails, too
until_true() {
	local n
	for ((n = 0; n < patience; n++)); do
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
is() { [ "$1" = "$2" ]; }
is_one() { [ "$(screen | grep -cF -- "$1")" = 1 ]; }
# came_visible: of what came from the sidecar, no character turns letters round or starts a sequence of the terminal.
came_visible() { ! LC_ALL=C grep -aq $'\xe2\x80\xae\|\x1b' "$LOGS/from-sidecar"; }
never_popped() { ! got '"method":"window/showMessageRequest"'; }
holds() { [ "$(cat "$1" 2>/dev/null)" = "$2" ]; }
keep() { { say "--- $1" && screen | sed 's/ *$//' | cat -s; } >>"$LOGS/screens"; }

# begin FILE: Helix in a terminal of 150 columns, and the sidecar is there.
begin() {
	tmux new-session -d -x 150 -y 40 "'$HX' -v '$1'; echo 'Helix has ended.'; exec cat" # as in a terminal that outlives it
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

# popup TEXT: where questions pop up, this one does, and is dismissed, which is no answer.
popup() {
	local begins="│ The agent asks: $1"
	[ -n "$pops_up" ] || return 0
	case $1 in 'Do you trust'* | 'No model is set up'*) begins="│ $1" ;; esac # in words of its own
	wait_for "the question pops up: $1" shows "$begins"
	keep "the question pops up: $1"
	keys Escape
	until_true hides "$begins" || failed 'Escape closes the question'
}
# question TEXT [TOOL]: what is asked stands at a line of the file as well.
question() {
	popup "${2:+$2: }$1"
	wait_for "the question stands at its line: $1" shows "The agent asks: $1"
}

# A message of the sidecar begins with "Agent: ", too; this is in every menu.
menu() {
	keys Space a
	until_true shows 'Agent: run on the selection' || { failed 'Space a opens the menu of code actions'; return 1; }
}
# act TITLE: the code action whose title begins so, with the keys of a person.
act() {
	local n
	menu || return 0
	keep "the menu, to choose: $1"
	# The menu lies over text and over the questions at the ends of its lines.
	n=$(screen | sed 's/The agent asks:.*//; s/Do you trust.*//' | grep -E '(Allow once|Always allow|Always in this workspace|Always, in every folder|Reject|Review diff|Review|Trust this folder|Not now|Agent): ' | grep -nF -- "$1" | head -1 | cut -d: -f1)
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

# go_to FILE: it is shown, as it is on the disk: Helix reads again what has changed only where it is told to.
go_to() {
	typed "open $1"
	wait_for "Helix is in $1" in_file "$1"
	typed reload-all
}
in_file() { screen | grep -qE "^ NOR .{1,3} $1 "; } # the spinner is three bytes where there is no such locale

# opened TEXT FILE: what a command was to open is shown. 25.01 opens nothing for a server: its status line says where the file is, and
# the person opens it.
opened() {
	if [ -z "$pops_up" ]; then
		wait_for "the status line says where it is: $2" shows 'Open this file: '
		typed "open $2"
	fi
	wait_for "Helix shows $1" shows "$1"
	keep "opened: $1"
}

# leave: as a person leaves, whatever is open.
leave() {
	typed 'qa!'
	wait_for 'Helix ends' shows 'Helix has ended.'
}
