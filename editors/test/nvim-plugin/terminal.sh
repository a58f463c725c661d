# A person at a terminal: Neovim as it is installed by its packages, with an init.lua, real keys, and what the screen then shows.
# Sourced by play.sh before a scenario that is a .sh; $nvim, $label and the places of lib.sh are set.
tmux() { command "$busted/bin/tmux" -S "$tmp/tmux" -f /dev/null "$@"; }
screen() { tmux capture-pane -p; }
shows() { screen | grep -qF -- "$1"; }
changed_at_screen() { screen | grep -q '^changed'; }
gone_from_screen() { ! shows "$1"; }
holds() { [ "$(cat "$1" 2>/dev/null)" = "$2" ]; }
keep() { { say "--- $1" && screen | sed 's/ *$//' | cat -s; } >>"$logs/screens"; }

# until_true COMMAND…: it succeeds within a minute. A terminal tells nobody that it has changed, so it is looked at again and again.
until_true() {
	local _
	for _ in {1..1200}; do
		if "$@"; then return 0; fi
		sleep 0.05
	done
	return 1
}
seen() {
	local what=$1
	shift
	if until_true "$@"; then check "$what" true; else keep "$what" && check "$what" false; fi
}
typed() { tmux send-keys -l -- "$1" && tmux send-keys Enter; }

# choose TEXT: types the number of the entry of a list on the screen that begins with TEXT.
choose() {
	local number
	number=$(screen | sed -n "s/^ *\([0-9]*\)[:.] *$1.*/\1/p" | head -1)
	[ -n "$number" ] || { keep "no entry $1" && return 1; }
	typed "$number"
}

# at_terminal INIT FILE: Neovim with this init.lua, and the plugin as a package of Neovim.
at_terminal() {
	mkdir -p "$dir/home/nvim/site/pack/agent/opt"
	ln -sfn "$plugin" "$dir/home/nvim/site/pack/agent/opt/agent-sidecar"
	printf '%s\n' "$1" >"$dir/home/nvim/init.lua"
	(bare "$busted/bin/tmux" -S "$tmp/tmux" -f /dev/null new-session -d -x 132 -y 42 -c "$dir/workspace" \
		sh -c '"$0" -n -i NONE "$1"; echo $? >"$LOGS/editor.exit"' "$nvim" "$2") </dev/null >"$logs/editor.out" 2>&1
	tmux set -g default-terminal tmux-256color 2>/dev/null || true
}

# gone_by_itself: Neovim ended, and with it the terminal.
left() { [ -e "$logs/editor.exit" ]; }

init='vim.cmd.packadd("agent-sidecar")
require("agent-sidecar").setup({})
vim.o.laststatus = 3
vim.o.statusline = " %f %=%{%v:lua.require'\''agent-sidecar'\''.statusline()%} "
vim.keymap.set("n", "<Space>a", vim.lsp.buf.code_action)
vim.o.termguicolors = true'
