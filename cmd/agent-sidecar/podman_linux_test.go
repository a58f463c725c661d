package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient"
)

// TestInPodman plays conversations whose workers are in containers of a real podman.
func TestInPodman(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: -short starts no program")
	}
	tools := t.TempDir()
	podman(t, tools)
	t.Setenv("PATH", tools+":"+os.Getenv("PATH"))
	files, err := filepath.Glob("../../testclient/testdata/podman/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c, err := testclient.LoadConversation(file)
			if err != nil {
				t.Fatal(err)
			}
			converse(t, c, file, testclient.Options{Dir: roomOf(t), Start: startBinary(t), Update: *update})
		})
	}
}

// podman makes a machine that has one, in namespaces of its own, and a program of that name
// that is run there.
func podman(t *testing.T, tools string) {
	unpacked, err := filepath.Abs("../../.test-hosts/podman")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(unpacked, "complete")); err != nil {
		t.Skip("not run: there is no podman; bash testclient/hosts/install-podman.sh .test-hosts/podman gets one")
	}
	if os.Getuid() != 0 {
		t.Skip("not run: what podman is laid over cannot be mounted without root")
	}
	if out, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(out)) != "0" {
		t.Skip("not run: the program needs the C library of this machine; CGO_ENABLED=0, as make test has it, makes one that needs none")
	}
	cmd := exec.Command("sh", "../../testclient/hosts/podman.sh", unpacked, t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	var errs journal
	cmd.Stderr = &errs
	if _, err := cmd.StdinPipe(); err != nil { // it ends with that
		t.Fatal(err)
	}
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("not run: no namespace can be made here: %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil || line != "ready\n" {
		t.Skipf("not run: podman does not run here: %q %v\n%s", line, err, errs.String())
	}
	script := fmt.Sprintf("#!/bin/sh\nexec nsenter -t %d -m -p env -C / PATH=/usr/sbin:/usr/bin:/sbin:/bin podman \"$@\"\n", cmd.Process.Pid)
	if err := os.WriteFile(filepath.Join(tools, "podman"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}
