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

# install SUITE: the exit code says why not (install-neovim.sh; 124 is the time limit).
install() { timeout -k 5 600 bash "$here/install-neovim.sh" "$1" "$cache/neovim-$1" >"$cache/logs/install-$1.log" 2>&1; }

scenarios=("$@")
if [ $# = 0 ]; then
	for file in "$here"/neovim/*.model; do scenarios+=("$(basename "$file" .model)"); done
fi

if install trixie; then
	leg trixie
else
	check "the required Neovim, of trixie, is installed (see $cache/logs/install-trixie.log)" false
fi
code=0
install forky || code=$?
case $code in
0) leg forky ;;
3 | 124)
	say "!!"
	say "!! NOT TESTED: the newest Neovim. The archive has no suite forky or could not be reached; only the required one was tested."
	say "!! See $cache/logs/install-forky.log"
	say "!!"
	;;
*) check "the newest Neovim, of forky, is installed (see $cache/logs/install-forky.log)" false ;;
esac
