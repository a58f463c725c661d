//go:build unix

package history

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// What somebody has put in the place of a log is not waited for, whoever looks at it: a
// named pipe, also behind a link, a device, a directory. So is what lies in the place of
// the torn end of a log.
func TestNoFile(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link to one": func(path string) error {
			return errors.Join(syscall.Mkfifo(path+".pipe", 0o600), os.Symlink(path+".pipe", path))
		},
		"a device":       func(path string) error { return os.Symlink("/dev/zero", path) },
		"a directory":    func(path string) error { return os.Mkdir(path, 0o700) },
		"a link nowhere": func(path string) error { return os.Symlink(path+".gone", path) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, LogFile)
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			const size = wideGlimpse * 2 // as it was when somebody looked at it last
			none := func(Event) error { return nil }
			if seq, ends, tail := summarisedBefore(path, 0, size), endsLine(path, size), tailLine(path, size); seq != 0 || ends || tail != size {
				t.Errorf("a summary before %d, a line ends: %v, the last begins at %d of %d", seq, ends, tail, size)
			}
			_, lookErr := Look(dir, "0001", Mark{Bytes: size})
			_, markErr := MarkOf(dir)
			_, tailErr := NewReader(dir).Tail(t.Context())
			_, deedsErr := Deeds(t.Context(), dir, 1)
			_, replayErr := Replay(dir)
			for what, err := range map[string]error{"replay": replayErr, "look": lookErr, "mark": markErr, "tail": tailErr, "deeds": deedsErr, "read": Read(dir).Each(1, none)} {
				if err == nil {
					t.Errorf("%s: no error", what)
				}
			}
			if _, _, err := Open(&durable.Disk{}, dir); err == nil {
				t.Error("it was opened")
			}
		})
	}
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, LogFile), []byte(openedLine+"torn"), 0o600), syscall.Mkfifo(filepath.Join(dir, "events.torn"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(&durable.Disk{}, dir); !errors.Is(err, durable.ErrNoFile) {
		t.Errorf("the torn end: %v", err)
	}
}
