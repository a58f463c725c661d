#!/usr/bin/env bash
# Plays the scenarios of this folder in real Emacses, of Debian releases, in batch mode: a .el, which is the person (person.el has the
# hands and the eyes), a .model, which is what the scripted model says, and a .after.sh, which looks when the editor is gone. The
# configuration is that of editors/README.md, as it stands there.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
limit=90 # seconds for one scenario

# play SUITE VERSION SCENARIO: one editor, one sidecar, one scripted model, in a home and a workspace of their own.
play() {
	local name="emacs $2 $3" scenario=$3 code=0 ends=0
	places "emacs $2" "$3"
	git init -q "$dir/workspace" # a project, for Emacs
	readme Emacs elisp 1 >"$dir/home/readme.el"
	model "$here/emacs/$3.model"
	group "$dir/workspace" "$limit" env README_LINES="$dir/home/readme.el" SCENARIOS="$here/emacs/" \
		"$cache/emacs-$1/bin/emacs" -Q --batch -l "$here/emacs/person.el" --eval "(play \"$3\")" || code=$?
	said "$name" "$logs/editor.out"
	check "$name: the editor came to its end (exit $code)" is "$code" 0
	case $2,$3 in
	*,quit) ends=1 ;;  # nobody said shutdown
	28.*) ends='@(0|none)' ;; # eglot kills it as soon as shutdown is answered, or it was quicker
	esac
	ended "$name" "$ends"
	[ ! -e "$here/emacs/$scenario.after.sh" ] || . "$here/emacs/$scenario.after.sh"
	model_ended "$name"
}

# leg SUITE: every scenario in the Emacs of a Debian release.
leg() {
	local version name
	version=$("$cache/emacs-$1/bin/emacs" --version | awk 'NR == 1 { print $3 }')
	for name in "${scenarios[@]}"; do play "$1" "$version" "$name"; done
}

scenarios=("$@")
if [ $# = 0 ]; then
	for file in "$here"/emacs/*.model; do scenarios+=("$(basename "$file" .model)"); done
fi
if installed emacs bookworm; then leg bookworm; fi
if installed emacs trixie; then leg trixie; fi
