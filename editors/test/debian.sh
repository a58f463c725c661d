# Programs of a Debian suite below a directory of their own, with that suite's own C library, so that they run on an older Debian and
# nothing outside the directory changes. Sourced by install-*.sh; needs no root where apt has its lists.
#
# Exit codes: 1 what came could not be used; 3 the archive could not be reached or has no such suite.

# unpack SUITE DIR PACKAGE…: the packages and all that they need, in DIR, which is made anew.
unpack() {
	local suite=$1 to=$2 keys=/usr/share/keyrings/debian-archive-keyring.gpg release targets mirror package
	shift 2
	rm -rf "$to"
	mkdir -p "$to"

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
	apt_of_root -o APT::Update::Error-Mode=any update || exit 3
	apt_of_root install -y --download-only patchelf "$@" >/dev/null || exit 3
	for package in "$root"/cache/archives/*.deb; do dpkg -x "$package" "$to"; done
	rm -rf "$root" "$to"/usr/share/{doc,man,info,locale,lintian,bash-completion}
}

apt_of_root() {
	apt-get -qq -o Dir::Etc="$root/etc" -o Dir::State="$root/state" -o Dir::State::status="$root/status" -o Dir::Cache="$root/cache" \
		-o APT::Install-Recommends=0 -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 -o Acquire::Languages=none \
		-o Acquire::Retries=2 -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "$@"
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
