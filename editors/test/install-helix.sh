#!/usr/bin/env bash
# install-helix.sh SUITE DIR: Helix of a Debian suite under DIR, ready when it ends with DIR/bin/hx, and DIR/bin/tmux to type into it.
# debian.sh says how, and has the exit codes.
set -euo pipefail
suite=${1:?suite} to=${2:?directory}
. "$(dirname "$0")/debian.sh"

# The interpreter's path is in the binary: a tree that was moved does not start and is made again.
[ -e "$to/complete" ] && "$to/bin/hx" --version >/dev/null 2>&1 && "$to/bin/tmux" -V >/dev/null 2>&1 && exit 0
rm -rf "$to"
mkdir -p "$to"
to=$(cd "$to" && pwd)
unpack "$suite" "$to" hx tmux
own_loader "$to" "$to/usr/lib/hx/hx" "$to/usr/bin/tmux"
mkdir -p "$to/bin"
printf '#!/bin/sh\nHELIX_RUNTIME=%q exec %q "$@"\n' "$to/usr/lib/hx/runtime" "$to/usr/lib/hx/hx" >"$to/bin/hx"
chmod +x "$to/bin/hx"
ln -sfn ../usr/bin/tmux "$to/bin/tmux"
"$to/bin/hx" --version
"$to/bin/tmux" -V
touch "$to/complete"
