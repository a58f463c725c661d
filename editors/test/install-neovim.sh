#!/usr/bin/env bash
# install-neovim.sh SUITE DIR: Neovim of a Debian suite under DIR, ready when it ends with DIR/bin/nvim. debian.sh says how, and has
# the exit codes.
set -euo pipefail
suite=${1:?suite} to=${2:?directory}
. "$(dirname "$0")/debian.sh"

# The interpreter's path is in the binary: a tree that was moved does not start and is made again.
[ -e "$to/complete" ] && "$to/bin/nvim" --version >/dev/null 2>&1 && exit 0
rm -rf "$to"
mkdir -p "$to"
to=$(cd "$to" && pwd)
unpack "$suite" "$to" neovim
own_loader "$to" "$to/usr/bin/nvim"
mkdir -p "$to/bin"
ln -sfn ../usr/bin/nvim "$to/bin/nvim"
"$to/bin/nvim" --version >/dev/null
touch "$to/complete"
