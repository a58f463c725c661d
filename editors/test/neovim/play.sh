#!/usr/bin/env bash
# Plays the scenarios of this folder in real Neovims without a plugin, of Debian's stable and testing suites: a .lua, which is the
# person, a .model, which is what the scripted model says, and a .after.sh, which looks when the editor is gone.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
limit=300 # seconds for one scenario

# play NVIM VERSION SCENARIO: one editor, one sidecar, one scripted model, in a home and a workspace of their own.
play() {
	local name="neovim $2 $3" scenario=$3 code=0 newcomer=''
	places "neovim $2" "$scenario"
	model "$here/neovim/$scenario.model"
	[ "$scenario" != newcomer ] || { newcomer=yes && acme; }
	group "$dir/workspace" "$limit" env README="$here/../README.md" "$1" --clean --headless -n -i NONE \
		--cmd "lua package.path = [[$here/neovim/?.lua;]] .. package.path" -c "lua require('editor').play('$scenario')" || code=$?
	said "$name" "$logs/editor.out"
	check "$name: the editor came to its end (exit $code)" is "$code" 0
	ended "$name"
	[ ! -e "$here/neovim/$scenario.after.sh" ] || . "$here/neovim/$scenario.after.sh"
	model_ended "$name"
}

wanted "$here/neovim" "$@"
leg neovim trixie nvim
leg neovim forky nvim newest
