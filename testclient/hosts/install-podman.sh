#!/usr/bin/env bash
# install-podman.sh DIR: podman and crun of this machine's Debian, with what they need that the machine has not, under DIR/usr,
# and busybox for an image. Nothing of it is installed: podman.sh lays it over the machine's files. Ends with DIR/complete.
#
# Exit codes: 0 it is there; 1 what came could not be used; 3 the archive could not be reached.
set -euo pipefail
to=${1:?directory}
. "$(dirname "$0")/../../editors/test/apt.sh"

[ -e "$to/complete" ] && exit 0
rm -rf "$to"
mkdir -p "$to"
to=$(cd "$to" && pwd)
apt_root "$to/apt" "$(. /etc/os-release && echo "$VERSION_CODENAME")"
cp /var/lib/dpkg/status "$to/apt/status"
apt -o APT::Update::Error-Mode=any update || exit 3
apt install -y --download-only podman crun busybox-static >/dev/null || exit 3
for package in "$to"/apt/cache/archives/*.deb; do
	case ${package##*/} in login_* | passwd_*) ;; *) dpkg -x "$package" "$to" ;; esac
done
for old in bin sbin lib; do # links on the machine
	[ ! -d "$to/$old" ] || { mkdir -p "$to/usr/$old" && cp -a "$to/$old/." "$to/usr/$old/" && rm -rf "${to:?}/$old"; }
done
rm -rf "$to/apt" "$to"/usr/share/{doc,man,locale,lintian,bash-completion}
[ -x "$to/usr/bin/podman" ] && [ -x "$to/usr/bin/busybox" ]
touch "$to/complete"
