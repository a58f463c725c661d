#!/usr/bin/env bash
# Plays the scenarios of this folder in real Helixes, of Debian's stable and testing suites, in a terminal: a .sh, which is the person
# (person.sh has the keys and the eyes), and a .model, which is what the scripted model says. The configuration is that of
# editors/README.md, as it stands there.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
limit=400 # seconds for one scenario

# play HELIX VERSION SCENARIO: one editor, one sidecar, one scripted model, in a home and a workspace of their own.
play() {
	local name="helix $2 $3" tmux=${1%/*}/tmux code=0 language=C.UTF-8 newcomer=''
	[ "$3" != chinese ] || language=zh_CN.UTF-8
	places "helix $2" "$3"
	mkdir -p "$dir/home/helix"
	readme Helix toml 1 >"$dir/home/helix/languages.toml"
	readme Helix toml 2 >"$dir/home/helix/config.toml"
	model "$here/helix/$3.model"
	[ "$3" != newcomer ] || { newcomer=yes && acme; }
	group "$dir/workspace" "$limit" env LC_CTYPE=C.UTF-8 LANG="$language" HX="$1" TMUX_PROGRAM="$tmux" HELIX="$2" \
		bash -c '. "$0/person.sh" && . "$0/$1.sh"' "$here/helix" "$3" || code=$?
	said "$name" "$logs/editor.out"
	check "$name: the person came to the end (exit $code)" is "$code" 0
	check "$name: Helix said shutdown" grep -aq '"method":"shutdown"' "$logs/to-sidecar"
	await_sidecar
	"$tmux" -S "$tmp/tmux" kill-server 2>/dev/null || true
	ended "$name"
	model_ended "$name"
}

wanted "$here/helix" "$@"
leg helix trixie hx
leg helix forky hx newest
