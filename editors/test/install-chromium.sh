#!/usr/bin/env bash
# install-chromium.sh DIR: Chromium of this machine's Debian and a font for Chinese, under DIR, with what they need that the machine
# has not. Ends with DIR/bin/chromium. Needs no root.
#
# Exit codes: 0 it is there; 1 what came could not be used; 3 the archive could not be reached.
set -euo pipefail
to=${1:?directory}
here=$(cd "$(dirname "$0")" && pwd)

[ -e "$to/complete" ] && "$to/bin/chromium" --version >/dev/null 2>&1 && exit 0
rm -rf "$to"
mkdir -p "$to"
to=$(cd "$to" && pwd)
. "$here/apt.sh"
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
apt_root "$to/apt" "$release"
# What the machine has is not fetched again, except the programs themselves.
awk -v RS= -v ORS='\n\n' '!/^Package: (chromium|chromium-common|fonts-noto-cjk)\n/' /var/lib/dpkg/status >"$to/apt/status"
apt -o APT::Update::Error-Mode=any update || exit 3
apt install -y --download-only chromium fonts-noto-cjk >/dev/null || exit 3
for package in "$to"/apt/cache/archives/*.deb; do dpkg -x "$package" "$to"; done
rm -rf "$to/apt" "$to"/usr/share/{doc,man,locale,lintian}

mkdir -p "$to/bin"
cat >"$to/fonts.conf" <<-FONTS
	<?xml version="1.0"?>
	<fontconfig>
	  <dir>/usr/share/fonts</dir><dir>$to/usr/share/fonts</dir><cachedir>$to/font-cache</cachedir>
	  <include ignore_missing="yes">/etc/fonts/conf.d</include>
	</fontconfig>
FONTS
libraries=$(find "$to/usr/lib" -name 'lib*.so*' -not -path '*/usr/lib/chromium/*' -printf '%h\n' | sort -u | paste -sd:)
cat >"$to/bin/chromium" <<-START
	#!/bin/sh
	export LD_LIBRARY_PATH="$libraries" FONTCONFIG_FILE="$to/fonts.conf"
	exec "$to/usr/lib/chromium/chromium" "\$@"
START
chmod +x "$to/bin/chromium"
"$to/bin/chromium" --version
touch "$to/complete"
