#!/usr/bin/env bash
# install-busted.sh SUITE DIR: busted, the framework of the Lua tests, under DIR/usr, and DIR/bin/tmux for real keys. debian.sh says
# how, and has the exit codes. Neovim runs busted itself: DIR/usr/bin/busted with DIR/usr/share/lua/5.1 in LUA_PATH.
set -euo pipefail
suite=${1:?suite} to=${2:?directory}
. "$(dirname "$0")/debian.sh"

[ -e "$to/complete" ] && "$to/bin/tmux" -V >/dev/null 2>&1 && exit 0
rm -rf "$to"
mkdir -p "$to"
to=$(cd "$to" && pwd)
unpack "$suite" "$to" lua-busted tmux
own_loader "$to" "$to/usr/bin/tmux"
mkdir -p "$to/bin"
ln -sfn ../usr/bin/tmux "$to/bin/tmux"
"$to/bin/tmux" -V
[ -e "$to/usr/bin/busted" ]
touch "$to/complete"
