#!/bin/sh
# podman.sh DIR SCRATCH: makes the mount namespace that it is started in, which is its own, one where what install-podman.sh has put
# below DIR is installed, with an image `box`. It needs root. It says "ready" and serves until its input ends: `nsenter -m -p -r` into it is
# the machine with podman. Everything it writes is in memory and goes with the namespace.
set -e
dir=$1 root=$2/root
mount --make-rprivate /
mkdir -p "$root"
mount -t tmpfs tmpfs "$root"
mkdir "$root/upper" "$root/work" "$root/m"
cp -a "$dir/usr" "$dir/etc" "$root/upper/"
mount -t overlay overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" "$root/m"
mount -t proc proc "$root/m/proc"
for tree in sys dev tmp; do mount --rbind "/$tree" "$root/m/$tree"; done
umount "$root/m/sys/fs/cgroup/unified" 2>/dev/null || true # crun refuses both kinds at once
mount -t tmpfs tmpfs "$root/m/run"
cat >"$root/m/etc/containers/containers.conf" <<-'CONF'
	[engine]
	cgroup_manager = "cgroupfs"
	events_logger = "file"
	runtime = "crun"
	[containers]
	cgroups = "disabled"
	netns = "none"
	default_ulimits = ["nofile=1024:1024", "nproc=10000:10000"]
CONF
echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$root/m/etc/containers/policy.json"
printf '[storage]\ndriver = "vfs"\nrunroot = "/run/containers"\ngraphroot = "/var/lib/containers/reach"\n' >"$root/m/etc/containers/storage.conf"

image=$root/image
mkdir -p "$image/bin" "$image/etc" "$image/root" "$image/tmp"
cp "$dir/usr/bin/busybox" "$image/bin/"
for name in $("$image/bin/busybox" --list); do [ "$name" = busybox ] || ln -s busybox "$image/bin/$name"; done
echo root:x:0:0:root:/root:/bin/sh >"$image/etc/passwd"
tar -C "$image" -cf "$root/m/box.tar" .
# A container that is entered begins at the root of its namespace, and a chroot does not change that.
cd "$root/m"
mkdir -p .old
pivot_root . .old
cd /
umount -l /.old
PATH=/usr/sbin:/usr/bin:/sbin:/bin
podman import /box.tar box >&2
echo ready
exec cat >/dev/null
