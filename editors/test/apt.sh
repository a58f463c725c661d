# apt_root DIR SUITE: a root of apt's own, with the archive that this machine already uses; after it, apt means apt-get there.
# Nothing of the machine is installed or changed, and nothing that is installed here counts as the machine's, unless DIR/status says so.
keys=/usr/share/keyrings/debian-archive-keyring.gpg
apt_root() {
	local root=$1 suite=$2 release targets mirror
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	targets=$(apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE)' 'Created-By: Packages')
	mirror=$(awk -v r="$release" '$2 == r { print $1; exit }' <<<"$targets")
	[ -n "$mirror" ] || mirror=$(awk '$0 !~ /security/ { print $1; exit }' <<<"$targets") # sources may say "stable"
	[ -n "$mirror" ] || { echo "apt names no archive" >&2; exit 3; }
	[ -r "$keys" ] || { echo "there is no $keys to check the archive's signature with" >&2; exit 1; }

	apt_dir=$root
	mkdir -p "$root"/etc/{apt.conf.d,preferences.d,sources.list.d} "$root"/state/lists/partial "$root"/cache/archives/partial
	: >"$root/status"
	echo "deb [signed-by=$keys] $mirror $suite main" >"$root/etc/sources.list"
}

apt() {
	apt-get -qq -o Dir::Etc="$apt_dir/etc" -o Dir::State="$apt_dir/state" -o Dir::State::status="$apt_dir/status" -o Dir::Cache="$apt_dir/cache" \
		-o APT::Install-Recommends=0 -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 -o Acquire::Languages=none \
		-o Acquire::Retries=2 -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "$@"
}
