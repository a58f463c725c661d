#!/usr/bin/env bash
# Plays the tests of the Neovim plugin in real Neovims of Debian's stable and testing suites: the specs of spec/, which Neovim runs
# with busted, and the scenarios of this folder against the real sidecar: a .lua, which is the person, a .model, which is what the
# scripted model says, a .after.sh, which looks when the editor is gone. keys.sh is a person at a terminal, through tmux.
#
#     AGENT_SIDECAR_PICTURES=1    the picture of the README is made anew, docs/pictures/neovim.png
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
limit=60 # seconds for one scenario
plugin=$top/editors/nvim
own=$here/nvim-plugin
busted=$cache/busted

# nvim_with SCENARIO: the Neovim that is tested, with the plugin, in the places of a scenario.
nvim_with() {
	group "$dir/workspace" "$limit" env NVIM_PROGRAM="$nvim" PLUGIN="$plugin" OWN="$own" "$nvim" --clean --headless -n -i NONE \
		--cmd "lua vim.opt.rtp:prepend(vim.env.PLUGIN); package.path = vim.env.OWN .. '/?.lua;' .. vim.env.OWN .. '/../neovim/?.lua;' .. package.path" \
		-c "lua require('person').play('$1')"
}

play() {
	local name="$1 $3" nvim=$2 scenario=$3 code=0
	places "$1" "$scenario"
	mkdir -p "$dir/workspace/.git"
	model "$own/$scenario.model"
	nvim_with "$scenario" || code=$?
	said "$name" "$logs/editor.out"
	check "$name: the editor came to its end (exit $code)" is "$code" 0
	ended "$name"
	[ ! -e "$own/$scenario.after.sh" ] || . "$own/$scenario.after.sh"
	model_ended "$name"
}

# specs NAME NVIM: every spec in one Neovim; busted writes a line for each.
specs() {
	local name="$1 specs" nvim=$2 code=0 lib
	places "$1" specs
	lib=$(echo "$busted"/usr/lib/*/lua/5.1)
	url=''
	group "$own" "$limit" env PLUGIN="$plugin" NVIM_PROGRAM="$nvim" AGENT_SIDECAR="$cache/bin/agent-sidecar" \
		LUA_PATH="$plugin/lua/?.lua;$plugin/lua/?/init.lua;$busted/usr/share/lua/5.1/?.lua;$busted/usr/share/lua/5.1/?/init.lua;;" LUA_CPATH="$lib/?.so;;" \
		"$nvim" --clean -l "$busted/usr/bin/busted" --output=TAP spec || code=$?
	sed -n "s|^ok [0-9]* - |ok   $name: |p; s|^not ok [0-9]* - |FAIL $name: |p" "$logs/editor.out" | count
	check "$name: they came to their end (exit $code, see $logs/editor.out)" is "$code" 0
}

leg() {
	local nvim=$cache/neovim-$1/bin/nvim version label scenario newest=''
	[ "$1" = trixie ] || newest=yes
	version=$("$nvim" --version | awk 'NR == 1 { print $2 }')
	label="nvim-plugin ${version#v}"
	for scenario in "${scenarios[@]}"; do
		case $scenario in
		specs) specs "$label" "$nvim" ;;
		keys) . "$own/keys.sh" ;;
		*) play "$label" "$nvim" "$scenario" ;;
		esac
	done
}

install() {
	local what=$1
	shift
	timeout -k 5 600 bash "$here/install-$what.sh" "$@" >"$cache/logs/install-$what-$1.log" 2>&1
}

scenarios=("$@")
if [ $# = 0 ]; then
	scenarios=(specs)
	for file in "$own"/*.model; do scenarios+=("$(basename "$file" .model)"); done
fi

if ! install busted trixie "$busted"; then
	check "busted and tmux are installed (see $cache/logs/install-busted-trixie.log)" false
	exit 0
fi
if install neovim trixie "$cache/neovim-trixie"; then
	leg trixie
else
	check "the required Neovim, of trixie, is installed (see $cache/logs/install-neovim-trixie.log)" false
fi
code=0
install neovim forky "$cache/neovim-forky" || code=$?
case $code in
0) leg forky ;;
3 | 124) say "!! NOT TESTED: the plugin in the newest Neovim; see $cache/logs/install-neovim-forky.log" ;;
*) check "the newest Neovim, of forky, is installed (see $cache/logs/install-neovim-forky.log)" false ;;
esac
