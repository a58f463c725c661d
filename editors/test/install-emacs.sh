#!/usr/bin/env bash
# install-emacs.sh SUITE DIR: Emacs of a Debian suite under DIR, with eglot, ready when it ends with DIR/bin/emacs. debian.sh says
# how, and has the exit codes.
set -euo pipefail
suite=${1:?suite} to=${2:?directory}
. "$(dirname "$0")/debian.sh"

works() { "$to/bin/emacs" -Q --batch --eval "(progn (require 'eglot) (message \"Emacs %s\" emacs-version))"; }

# The interpreter's path is in the binary: a tree that was moved does not start and is made again.
[ -e "$to/complete" ] && works >/dev/null 2>&1 && exit 0
rm -rf "$to"
mkdir -p "$to"
to=$(cd "$to" && pwd)
eglot=() # a part of Emacs from 29 on
[ "$suite" != bookworm ] || eglot=(elpa-eglot)
unpack "$suite" "$to" emacs-nox "${eglot[@]}"
own_loader "$to" "$to/usr/bin/emacs-nox"

# Emacs has the places of its Lisp, its programs and its dumped heap in the binary; these are where they are now. Debian's packages
# of Lisp are byte-compiled when they are installed; here they are read as they are.
share=$to/usr/share/emacs
version=$(cd "$share" && echo [0-9]*)
lisp=$(find "$share"/site-lisp/elpa-src/* "$share/$version/lisp" -type d ! -name obsolete 2>/dev/null | paste -sd:) || true
heap=$(find "$to/usr" -name '*.pdmp' | head -1)
mkdir -p "$to/bin"
cat >"$to/bin/emacs" <<WRAPPER
#!/bin/sh
export EMACSLOADPATH='$lisp' EMACSPATH='$(dirname "$heap")' EMACSDATA='$share/$version/etc' EMACSDOC='$share/$version/etc'
exec '$to/usr/bin/emacs-nox' --dump-file='$heap' "\$@"
WRAPPER
chmod +x "$to/bin/emacs"
works
touch "$to/complete"
