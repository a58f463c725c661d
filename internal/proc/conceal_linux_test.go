package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// spy is what a command would do to get at the sidecar's key: it looks into its
// own environment, its guard's (its parent) and the sidecar's (the guard's
// parent).
const spy = `for p in $$ $PPID $(cut -d' ' -f4 /proc/$PPID/stat); do
	echo "$(tr '\0' '\n' < /proc/$p/environ 2>&1)"
	cat /proc/$p/mem > /dev/null 2>&1
done; echo looked`

// concealRole is a sidecar with a key that lets the spy run.
func concealRole() {
	if os.Getenv("PROC_TEST_OPEN") == "" {
		if err := Conceal(); err != nil {
			panic(err)
		}
	}
	p, err := Start(context.Background(), Command{Args: []string{"/bin/sh", "-c", spy}, Dir: "/", Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: os.Stdout, Stderr: os.Stdout})
	if err != nil {
		panic(err)
	}
	exit, err := p.Wait()
	fmt.Println("exit", exit, err)
}

// TestConceal: a command cannot read the key that its sidecar was started with.
// The same sidecar without Conceal shows that the spy is able to.
func TestConceal(t *testing.T) {
	for _, open := range []string{"", "1"} {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = []string{"PROC_TEST_ROLE=conceal", "PROC_TEST_OPEN=" + open, "OPENAI_API_KEY=sk-secret", "PATH=" + os.Getenv("PATH")}
		cmd.Dir = "/"
		if os.Getuid() == 0 { // root's capabilities see everything
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "looked") {
			t.Fatalf("%v: %s", err, out)
		}
		if leaked := strings.Contains(string(out), "sk-secret"); leaked != (open != "") {
			t.Errorf("open %q: the key is seen: %v\n%s", open, leaked, out)
		}
	}
}
