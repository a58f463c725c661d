# A person who answers with keys, and an answer that comes as fast as it can. Sourced by play.sh behind terminal.sh.
quiet='setup({ approvals = { popup = false } })'

play_keys() {
	local name="$label keys"
	places "$label" keys
	mkdir -p "$dir/workspace/.git"
	model "$own/keys.model"
	at_terminal "$init" note.txt
	seen "$name: Neovim shows the file" shows 'as it was'
	seen "$name: the status line says that the agent is ready" shows 'agent: ready'
	typed ':Agent Change the note, and say where it is used.'
	seen "$name: the chat streams" shows 'I look at the note'
	seen "$name: the question of trust is shown when nobody types" shows 'ga answers · q closes'
	keep trust
	tmux send-keys 4 Enter # what is typed goes on in the file: the number of a yes, if there were a list
	typed ':AgentApprove'
	seen "$name: it is still open, and asked when somebody wants to answer" shows '2: Trust this folder'
	seen "$name: it is answered by its number" choose 'Trust this folder'
	seen "$name: the command is shown in its review" shows '# bash: printf'
	typed ':AgentApprove'
	seen "$name: and asked about" shows 'Reject and stop the run'
	keep command
	tmux send-keys C-c
	seen "$name: Ctrl-C takes the list away" gone_from_screen 'Reject and stop the run'
	check "$name: without an error" gone_from_screen 'stack traceback'
	typed ':AgentApprove'
	seen "$name: it is asked about again" shows 'Reject and stop the run'
	tmux send-keys Enter # no choice
	seen "$name: dismissed, it stays in the chat" shows 'needs approval · runs a command'
	check "$name: and has not run" holds "$dir/workspace/note.txt" 'as it was'
	tmux send-keys Space a
	seen "$name: the light bulb's list has it" shows 'Allow once: '
	keep actions
	choose 'Allow once: ' || true
	seen "$name: the file is changed" holds "$dir/workspace/note.txt" changed
	seen "$name: the run ends" shows '— done'
	seen "$name: calls are folded, with their state beside them" shows '▸ bash: printf'
	seen "$name: what was cut says so" shows 'truncated'
	seen "$name: the plan is shown" shows '[>] Change its line'
	seen "$name: and the file has its new text on the screen" changed_at_screen
	keep done
	# What is on the screen has no path of this machine: the question of trust, which has one, was scrolled out.
	if [ -n "${AGENT_SIDECAR_PICTURES:-}" ] && ! shows "${dir:0:8}"; then picture neovim; fi
	typed ':AgentChat'
	tmux send-keys g g '/'
	typed 'bash: printf'
	tmux send-keys g o
	seen "$name: go opens the full output" shows 'agent-artifact:'
	tmux send-keys G
	seen "$name: to its last line" shows 20000
	tmux send-keys q
	typed ':qa'
	seen "$name: :qa leaves" left
	check "$name: without an error" holds "$logs/editor.exit" 0
	tmux kill-server 2>/dev/null || true
	ended "$name"
	model_ended "$name"
}

# 20,000 deltas as fast as they come, drawn on a real screen: the editor takes keys all the time. What it was busy with is measured in
# the time that it ran, which is the same however busy the machine is.
play_flood() {
	local name="$label flood" longest
	places "$label" flood
	mkdir -p "$dir/workspace/.git"
	{
		printf 'say "'
		awk 'BEGIN { for (i = 1; i <= 20000; i++) printf i % 12 ? "word%d " : "**word%d**.\\n\\n", i }'
		printf 'the end of it"\n'
	} >"$dir/flood.model"
	model "$dir/flood.model"
	# This is about an editor that nobody asks anything.
	at_terminal "${init/'setup({})'/$quiet}
local last, longest = nil, 0
vim.uv.new_timer():start(0, 5, vim.schedule_wrap(function()
  local used = vim.uv.getrusage()
  local now = (used.utime.sec + used.stime.sec) * 1e3 + (used.utime.usec + used.stime.usec) / 1e3
  if last then longest = math.max(longest, now - last) end
  last = now
end))
function _G.slowest() local file = io.open(vim.env.LOGS .. '/longest', 'w') file:write(('%d'):format(longest)) file:close() end
function _G.begin() longest = 0 end" note.txt
	seen "$name: Neovim is ready" shows 'agent: ready'
	typed ':lua begin()'
	typed ':Agent Write much.'
	seen "$name: everything is shown" shows 'the end of it'
	seen "$name: the run ends" shows '— done'
	typed ':lua slowest()'
	seen "$name: it was measured" test -s "$logs/longest"
	longest=$(cat "$logs/longest" 2>/dev/null || echo none)
	check "$name: the editor was never busy for a second (longest: $longest ms)" test "$longest" -le 1000
	typed ':qa'
	seen "$name: :qa leaves" left
	tmux kill-server 2>/dev/null || true
	ended "$name"
	model_ended "$name"
}

# picture FILE: the screen with its colours, as a picture of the README. That of the newest Neovim comes last and stays.
picture() {
	local page=$logs/$1.html to=$top/docs/pictures
	mkdir -p "$to"
	tmux capture-pane -e -p | "$nvim" --clean -l "$own/screen.lua" >"$page"
	bash "$here/install-chromium.sh" "$cache/chromium" >"$cache/logs/install-chromium.log" 2>&1 || true
	HOME=$tmp "$(chromium)" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 --window-size=1130,780 \
		--screenshot="$to/$1.png" "file://$page" >"$logs/chromium.log" 2>&1
	check "$label: the picture docs/pictures/$1.png is made" test -s "$to/$1.png"
}
chromium() {
	local program
	for program in "$cache/vscode/chromium/bin/chromium" "$cache/chromium/bin/chromium" chromium; do
		if command -v "$program" >/dev/null; then say "$program" && return; fi
	done
}

play_keys
play_flood
