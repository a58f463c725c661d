#!/usr/bin/env bash
# install-neovim.sh SUITE DIR: Neovim of a Debian suite under DIR, with that suite's own C library, so that it runs on an older
# Debian and changes nothing outside DIR. Ends with DIR/bin/nvim. Needs no root where apt has its lists.
#
# Exit codes: 0 it is there; 1 what came could not be used; 3 the archive could not be reached or has no such suite.
set -euo pipefail
suite=${1:?suite} to=${2:?directory}

# The interpreter's path is in the binary: a tree that was moved does not start and is made again.
[ -e "$to/complete" ] && "$to/bin/nvim" --version >/dev/null 2>&1 && exit 0
rm -rf "$to"
mkdir -p "$to"
to=$(cd "$to" && pwd)

. "$(dirname "$0")/apt.sh"
root=$to/apt
apt_root "$root" "$suite"
apt -o APT::Update::Error-Mode=any update || exit 3
apt install -y --download-only neovim patchelf >/dev/null || exit 3
for package in "$root"/cache/archives/*.deb; do dpkg -x "$package" "$to"; done
rm -rf "$root" "$to"/usr/share/{doc,man,locale,lintian,bash-completion}

# patchelf comes from the same suite and is started through its loader; nvim then names that loader itself, because a started
# Neovim looks itself up and starts others.
loader=$(find "$to/usr/lib" -name 'ld-linux*.so.*' | head -1)
libraries=$(dirname "$loader")
"$loader" --library-path "$libraries" "$to/usr/bin/patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$to/usr/bin/nvim"
mkdir -p "$to/bin"
ln -sfn ../usr/bin/nvim "$to/bin/nvim"
"$to/bin/nvim" --version >/dev/null
touch "$to/complete"
