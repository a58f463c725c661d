#!/usr/bin/env bash
# Plays the tests of the Neovim plugin in real Neovims of Debian's stable and testing suites: the specs of spec/, which Neovim runs
# with busted, and the scenarios of this folder against the real sidecar: a .lua, which is the person, a .model, which is what the
# scripted model says, a .after.sh, which looks when the editor is gone. keys.sh and newcomer.sh are people at a terminal, through tmux.
#
#     AGENT_SIDECAR_PICTURES=1    the picture of the README is made anew, docs/pictures/neovim.png
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
limit=300 # seconds for one scenario
gopls=v0.21.1
plugin=$top/editors/nvim
own=$here/nvim-plugin
busted=$cache/busted-trixie

# play NVIM VERSION SCENARIO
play() {
	local nvim=$1 label="nvim-plugin $2" scenario=$3
	case $scenario in
	specs) specs ;;
	semantic) languages && person ;;
	keys | newcomer) . "$own/terminal.sh" && . "$own/$scenario.sh" ;;
	*) person ;;
	esac
}

# languages: the language servers that the scenario is about, which are installed once.
languages() {
	local log=$cache/logs/install-languages.log
	(
		flock 8
		timeout -k 5 600 bash "$here/install-gopls.sh" "$gopls" "$cache/gopls" && timeout -k 5 600 bash "$here/install-typescript.sh" "$cache/typescript"
	) >"$log" 2>&1 8>"$cache/languages.lock" && return
	check "$label semantic: the language servers are installed (see $log)" false
	return 1
}

# person: one editor, one sidecar, one scripted model, in a home and a workspace of their own.
person() {
	local name="$label $scenario" code=0
	places "$label" "$scenario"
	mkdir -p "$dir/workspace/.git"
	model "$own/$scenario.model"
	nvim_with "$scenario" || code=$?
	said "$name" "$logs/editor.out"
	check "$name: the editor came to its end (exit $code)" is "$code" 0
	ended "$name"
	[ ! -e "$own/$scenario.after.sh" ] || . "$own/$scenario.after.sh"
	model_ended "$name"
}

# nvim_with SCENARIO: the Neovim that is tested, with the plugin, in the places of a scenario.
nvim_with() {
	local language=C.UTF-8
	[ "$1" != chinese ] || language=zh_CN.UTF-8
	group "$dir/workspace" "$limit" env LANG="$language" NVIM_PROGRAM="$nvim" PLUGIN="$plugin" OWN="$own" GOPLS="$cache/gopls/gopls" TYPESCRIPT="$cache/typescript/server" \
		"$nvim" --clean --headless -n -i NONE \
		--cmd "lua vim.opt.rtp:prepend(vim.env.PLUGIN); package.path = vim.env.OWN .. '/?.lua;' .. vim.env.OWN .. '/../neovim/?.lua;' .. package.path" \
		-c "lua require('person').play('$1')"
}

# specs: every spec in one Neovim; busted writes a line for each.
specs() {
	local name="$label specs" code=0 lib
	places "$label" specs
	lib=$(echo "$busted"/usr/lib/*/lua/5.1)
	url=''
	group "$own" "$limit" env PLUGIN="$plugin" NVIM_PROGRAM="$nvim" AGENT_SIDECAR="$cache/bin/agent-sidecar" \
		LUA_PATH="$plugin/lua/?.lua;$plugin/lua/?/init.lua;$busted/usr/share/lua/5.1/?.lua;$busted/usr/share/lua/5.1/?/init.lua;;" LUA_CPATH="$lib/?.so;;" \
		"$nvim" --clean -l "$busted/usr/bin/busted" --output=TAP spec || code=$?
	sed -n "s|^ok [0-9]* - |ok   $name: |p; s|^not ok [0-9]* - |FAIL $name: |p" "$logs/editor.out" | count
	check "$name: they came to their end (exit $code, see $logs/editor.out)" is "$code" 0
}

wanted "$own" "$@"
[ $# -gt 0 ] || scenarios=(specs "${scenarios[@]}")
installed busted trixie || exit 0
leg neovim trixie nvim
leg neovim forky nvim newest
