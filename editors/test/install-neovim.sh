#!/usr/bin/env bash
# install-neovim.sh SUITE DIR: Neovim of a Debian suite under DIR, with that suite's own C library, so that it runs on an older
# Debian and changes nothing outside DIR. Ends with DIR/bin/nvim. Needs no root where apt has its lists.
#
# Exit codes: 0 it is there; 1 what came could not be used; 3 the archive could not be reached or has no such suite.
set -euo pipefail
suite=${1:?suite} to=${2:?directory}
keys=/usr/share/keyrings/debian-archive-keyring.gpg

# The interpreter's path is in the binary: a tree that was moved does not start and is made again.
[ -e "$to/complete" ] && "$to/bin/nvim" --version >/dev/null 2>&1 && exit 0
rm -rf "$to"
mkdir -p "$to"
to=$(cd "$to" && pwd)

# The archive is the one that this machine already uses.
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
targets=$(apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE)' 'Created-By: Packages')
mirror=$(awk -v r="$release" '$2 == r { print $1; exit }' <<<"$targets")
[ -n "$mirror" ] || mirror=$(awk '$0 !~ /security/ { print $1; exit }' <<<"$targets") # sources may say "stable"
[ -n "$mirror" ] || { echo "apt names no archive" >&2; exit 3; }
[ -r "$keys" ] || { echo "there is no $keys to check the archive's signature with" >&2; exit 1; }

# A root of apt's own below DIR: nothing of the machine is installed, and nothing installed here counts as the machine's.
root=$to/apt
mkdir -p "$root"/etc/{apt.conf.d,preferences.d,sources.list.d} "$root"/state/lists/partial "$root"/cache/archives/partial
: >"$root/status"
echo "deb [signed-by=$keys] $mirror $suite main" >"$root/etc/sources.list"
apt() {
	apt-get -qq -o Dir::Etc="$root/etc" -o Dir::State="$root/state" -o Dir::State::status="$root/status" -o Dir::Cache="$root/cache" \
		-o APT::Install-Recommends=0 -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 -o Acquire::Languages=none \
		-o Acquire::Retries=2 -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "$@"
}
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
