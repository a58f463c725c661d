package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

func TestMain(m *testing.M) {
	if handled, code := proc.Main(os.Args, nil); handled {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// far is another machine: a home, and a shell.
type far struct {
	home  string
	shell []string // what is called sh there
	copy  Copy
}

// sent is the program of here in these tests: it says how it was started and echoes its
// input. It is larger than any pipe.
var sent = "#!/bin/sh\necho copy \"$0\" \"$@\"\nexec cat\n" + strings.Repeat("# and on\n", 300_000)

// newFar has nothing installed.
func newFar(t *testing.T, shell ...string) *far {
	t.Helper()
	if len(shell) == 0 {
		shell = []string{"sh"}
	}
	binary := filepath.Join(t.TempDir(), "binary")
	write(t, binary, sent)
	f := &far{t.TempDir(), shell, Copy{Binary: binary, Version: "1.2", Schema: schemaOf("the schema")}}
	out, err := exec.Command("uname", "-sm").Output()
	if err != nil {
		t.Skip("not run: there is no uname")
	}
	words := strings.Fields(string(out))
	f.copy.System = strings.ToLower(words[0])
	f.copy.Processor = strings.NewReplacer("x86_64", "amd64", "aarch64", "arm64").Replace(words[1])
	return f
}

func schemaOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// dial reaches for a worker, and gives what it says to "hello" until its end.
func (f *far) dial(t *testing.T, program string) (string, error) {
	t.Helper()
	// As ssh or docker exec would, this starts what comes behind it; sh is one of several.
	connect := []string{"sh", "-c", `shift; exec ` + strings.Join(f.shell, " ") + ` "$@"`, "far"}
	c := Command{Connect: append(connect, program, "worker", "--home", "~/w"), Dir: f.home, Env: []string{"HOME=" + f.home, "PATH=" + os.Getenv("PATH")}, Copy: &f.copy}
	f.copy.At = len(connect)
	pipe, err := c.Dial(context.Background())
	if err != nil {
		return "", err
	}
	io.WriteString(pipe.Out, "hello\n")
	pipe.Out.Close()
	said, err := io.ReadAll(pipe.In)
	pipe.In.Close()
	return string(said), errors.Join(err, pipe.Close())
}

// copied is where a copy of what is sent is.
func (f *far) copied() string {
	sum := sha256.Sum256([]byte(sent))
	return filepath.Join(f.home, ".agent-sidecar", "bin", hex.EncodeToString(sum[:]), "agent-sidecar")
}

// files are those below the home there.
func (f *far) files(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(f.home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A worker is copied where there is none, by whichever shell is there, and only once.
func TestInstallByCopy(t *testing.T) {
	for _, shell := range [][]string{{"sh"}, {"dash"}, {"bash"}, {"bash", "--posix"}, {"busybox", "sh"}, {"ksh"}, {"zsh"}} {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			if _, err := exec.LookPath(shell[0]); err != nil {
				t.Skip("not run: it is not installed here")
			}
			f := newFar(t, shell...)
			want := fmt.Sprintf("copy %s worker --home %s/w\nhello\n", f.copied(), f.home)
			if said, err := f.dial(t, "agent-sidecar"); err != nil || said != want {
				t.Fatalf("%q %v, not %q", said, err, want)
			}
			first, err := os.Stat(f.copied())
			if err != nil || first.Mode().Perm() != 0o700 || first.Size() != int64(len(sent)) {
				t.Fatalf("%v %v", first, err)
			}
			for dir := filepath.Dir(f.copied()); dir != f.home; dir = filepath.Dir(dir) {
				if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
					t.Errorf("%s: %v %v", dir, info.Mode(), err)
				}
			}
			if said, err := f.dial(t, "agent-sidecar"); err != nil || said != want {
				t.Fatalf("again: %q %v", said, err)
			}
			if again, err := os.Stat(f.copied()); err != nil || !os.SameFile(first, again) {
				t.Errorf("it was copied again: %v", err)
			}
			if files := f.files(t); len(files) != 1 {
				t.Errorf("there is more than the copy: %v", files)
			}
		})
	}
}

// An installed program is used if it is the same one, and else nothing is asked of it.
func TestInstallOnlyWhereNeeded(t *testing.T) {
	installed := func(version, schema string) string {
		return "#!/bin/sh\ncase $1 in version) echo agent-sidecar " + version + ";; schema) printf %s '" + schema + "';; *) echo installed \"$@\"; exec cat;; esac\n"
	}
	for _, c := range []struct {
		name, program, want string
	}{
		{"the same", installed("1.2", "the schema"), "installed worker --home ~/w\nhello\n"},
		{"another version", installed("1.1", "the schema"), "copy "},
		{"another schema", installed("1.2", "another schema"), "copy "},
		{"no program", "no program\n", "copy "},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFar(t)
			write(t, filepath.Join(f.home, "b", "agent-sidecar"), c.program)
			said, err := f.dial(t, "~/b/agent-sidecar")
			if err != nil || !strings.HasPrefix(said, strings.ReplaceAll(c.want, "~", f.home)) {
				t.Errorf("%q %v", said, err)
			}
			if _, err := os.Stat(f.copied()); (err == nil) != strings.HasPrefix(c.want, "copy") {
				t.Errorf("the copy: %v", err)
			}
		})
	}
}

// What is in the place of the copy and has another hash is never started.
func TestBypassInstallReplacedCopy(t *testing.T) {
	f := newFar(t)
	write(t, f.copied(), "#!/bin/sh\ntouch \"$HOME/obeyed\"\n")
	said, err := f.dial(t, "agent-sidecar")
	if err != nil || !strings.HasPrefix(said, "copy ") {
		t.Errorf("%q %v", said, err)
	}
	if _, err := os.Stat(filepath.Join(f.home, "obeyed")); err == nil {
		t.Error("what was in the place of the copy was started")
	}
}

// A program for another system is not sent, and the error names both.
func TestInstallOnAnotherSystem(t *testing.T) {
	f := newFar(t)
	there := f.copy.System + "/" + f.copy.Processor
	f.copy.System, f.copy.Processor = "windows", "arm64"
	if _, err := f.dial(t, "agent-sidecar"); err == nil || !strings.Contains(err.Error(), there) || !strings.Contains(err.Error(), "windows/arm64") {
		t.Error(err)
	}
	if files := f.files(t); len(files) != 0 {
		t.Errorf("something is left: %v", files)
	}
}

// A connection that is cut while the program is sent leaves nothing of it.
func TestInstallCut(t *testing.T) {
	f := newFar(t)
	sum := sha256.Sum256([]byte(sent))
	for _, cut := range []int{0, 1, len(sent) - 1} {
		cmd := exec.Command("sh", "-s")
		cmd.Env = []string{"HOME=" + f.home, "PATH=" + os.Getenv("PATH")}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(in, "hash=%s size=%d version=1 schema=2\nset -- agent-sidecar worker\n%s", hex.EncodeToString(sum[:]), len(sent), installScript)
		if said, err := answer(out.(*os.File), arriving); err != nil || !strings.HasPrefix(said, "send ") {
			t.Errorf("%q %v", said, err)
		}
		io.WriteString(in, sent[:cut])
		in.Close()
		if err := cmd.Wait(); err == nil || !strings.Contains(errs.String(), "did not arrive as it was sent") {
			t.Errorf("%v %s", err, errs.String())
		}
		if files := f.files(t); len(files) != 0 {
			t.Errorf("cut after %d bytes: %v", cut, files)
		}
	}
}

// What the shell there says to everybody is no answer, and what fails there is in the error.
func TestInstallFails(t *testing.T) {
	f := newFar(t, "sh", "-c", `'echo Welcome; echo "agent-sidecar is fun"; exec sh -s'`)
	if said, err := f.dial(t, "agent-sidecar"); err != nil || !strings.HasPrefix(said, "copy ") {
		t.Errorf("%q %v", said, err)
	}
	for want, shell := range map[string][]string{
		"no-such-shell":           {"no-such-shell"},
		"the command ended":       {"true"},
		"there is no home":        {"env", "-u", "HOME", "sh"},
		"no shell that reads":     {"cat", "/dev/zero", "#"},
		"neither sha256sum":       {"env", "PATH=/nowhere", "/bin/sh"},
		"cannot create directory": {"env", "HOME=/dev/null", "sh"},
	} {
		if said, err := newFar(t, shell...).dial(t, "agent-sidecar"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %q %v", shell, said, err)
		}
	}
}
