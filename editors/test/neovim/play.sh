#!/usr/bin/env bash
# Plays the scenarios of this folder in real Neovims without a plugin, of Debian's stable and testing suites: a .lua, which is the
# person, a .model, which is what the scripted model says, and a .after.sh, which looks when the editor is gone.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
limit=60 # seconds for one scenario

# play NAME NVIM SCENARIO: one editor, one sidecar, one scripted model, in a home and a workspace of their own.
play() {
	local name="$1 $3" nvim=$2 scenario=$3 code=0
	places "$1" "$scenario"
	model "$here/neovim/$scenario.model"
	group "$dir/workspace" "$limit" env README="$here/../README.md" "$nvim" --clean --headless -n -i NONE \
		--cmd "lua package.path = [[$here/neovim/?.lua;]] .. package.path" -c "lua require('editor').play('$scenario')" || code=$?
	said "$name" "$logs/editor.out"
	check "$name: the editor came to its end (exit $code)" is "$code" 0
	ended "$name"
	[ ! -e "$here/neovim/$scenario.after.sh" ] || . "$here/neovim/$scenario.after.sh"
	model_ended "$name"
}

# leg SUITE: every scenario in the Neovim of a Debian suite.
leg() {
	local nvim=$cache/neovim-$1/bin/nvim version name
	version=$("$nvim" --version | awk 'NR == 1 { print $2 }')
	for name in "${scenarios[@]}"; do play "neovim ${version#v}" "$nvim" "$name"; done
}

scenarios=("$@")
if [ $# = 0 ]; then
	for file in "$here"/neovim/*.model; do scenarios+=("$(basename "$file" .model)"); done
fi

if installed neovim trixie; then leg trixie; fi
if installed neovim forky newest; then leg forky; fi
