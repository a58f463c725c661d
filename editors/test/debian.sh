# Programs of a Debian suite below a directory of their own, with that suite's own C library, so that they run on an older Debian and
# nothing outside the directory changes. Sourced by install-*.sh; needs no root where apt has its lists.
#
# Exit codes: 1 what came could not be used; 3 the archive could not be reached or has no such suite.
. "$(dirname "${BASH_SOURCE[0]}")/apt.sh"

# unpack SUITE DIR PACKAGE…: the packages and all that they need, in DIR.
unpack() {
	local suite=$1 to=$2 root=$2/apt package
	shift 2
	apt_root "$root" "$suite"
	apt -o APT::Update::Error-Mode=any update || exit 3
	apt install -y --download-only patchelf "$@" >/dev/null || exit 3
	for package in "$root"/cache/archives/*.deb; do dpkg -x "$package" "$to"; done
	rm -rf "$root" "$to"/usr/share/{doc,man,info,locale,lintian,bash-completion}
}

# own_loader DIR PROGRAM…: each program names the loader and the libraries below DIR. It is not started through the loader, because
# programs look themselves up and start others. patchelf comes from the same suite and is.
own_loader() {
	local to=$1 loader libraries program
	shift
	loader=$(find "$to" -path '*-linux-gnu/ld-linux*.so.*' | head -1)
	libraries=$(dirname "$loader"):$to/usr/lib/$(basename "$(dirname "$loader")")
	for program in "$@"; do
		"$loader" --library-path "$libraries" "$to/usr/bin/patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"
	done
}
