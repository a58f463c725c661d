#!/usr/bin/env bash
# install-sshd.sh SUITE DIR: OpenSSH of a Debian suite under DIR, ready when it ends with DIR/bin/sshd, DIR/bin/ssh and
# DIR/bin/ssh-keygen. Nothing of it is installed. editors/test/debian.sh says how, and has the exit codes.
set -euo pipefail
suite=${1:?suite} to=${2:?directory}
. "$(dirname "$0")/../../editors/test/debian.sh"

# The interpreter's path is in the binary: a tree that was moved does not start and is made again.
[ -e "$to/complete" ] && "$to/bin/ssh" -V >/dev/null 2>&1 && exit 0
rm -rf "$to"
mkdir -p "$to"
to=$(cd "$to" && pwd)
unpack "$suite" "$to" openssh-server openssh-client
own_loader "$to" "$to"/usr/sbin/sshd "$to"/usr/bin/{ssh,ssh-keygen}
mkdir -p "$to/bin"
ln -sfn ../usr/sbin/sshd "$to/bin/sshd"
ln -sfn ../usr/bin/ssh "$to/bin/ssh"
ln -sfn ../usr/bin/ssh-keygen "$to/bin/ssh-keygen"
"$to/bin/ssh" -V
touch "$to/complete"
