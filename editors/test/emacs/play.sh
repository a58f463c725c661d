#!/usr/bin/env bash
# Plays the scenarios of this folder in real Emacses, of Debian releases, in batch mode: a .el, which is the person (person.el has the
# hands and the eyes), a .model, which is what the scripted model says, and a .after.sh, which looks when the editor is gone. The
# configuration is that of editors/README.md, as it stands there.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
limit=300 # seconds for one scenario

# play EMACS VERSION SCENARIO: one editor, one sidecar, one scripted model, in a home and a workspace of their own.
play() {
	local name="emacs $2 $3" scenario=$3 code=0 ends=0 newcomer=''
	places "emacs $2" "$scenario"
	git init -q "$dir/workspace" # a project, for Emacs
	readme Emacs elisp 1 >"$dir/home/readme.el"
	model "$here/emacs/$scenario.model"
	[ "$scenario" != newcomer ] || { newcomer=yes && acme; }
	group "$dir/workspace" "$limit" env README_LINES="$dir/home/readme.el" SCENARIOS="$here/emacs/" \
		"$1" -Q --batch -l "$here/emacs/person.el" --eval "(play \"$scenario\")" || code=$?
	said "$name" "$logs/editor.out"
	check "$name: the editor came to its end (exit $code)" is "$code" 0
	case $2,$scenario in
	*,quit) ends=1 ;;  # nobody said shutdown
	28.*) ends='@(0|none)' ;; # eglot kills it as soon as shutdown is answered, or it was quicker
	esac
	ended "$name" "$ends"
	[ ! -e "$here/emacs/$scenario.after.sh" ] || . "$here/emacs/$scenario.after.sh"
	model_ended "$name"
}

wanted "$here/emacs" "$@"
leg emacs bookworm emacs
leg emacs trixie emacs
