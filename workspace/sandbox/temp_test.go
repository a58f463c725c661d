package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What commands have as /tmp goes with its Vault, or by the sweep where its process
// was killed; never while somebody has it.
func TestPrivateTemp(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var living, stale, cleaned Temp
	open := func(p *Temp) string {
		t.Helper()
		dir, err := p.Dir()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := p.Dir(); again != dir || err != nil {
			t.Errorf("%s, then %s, %v", dir, again, err)
		}
		return dir
	}
	kept, left := open(&living), open(&stale)
	owner := filepath.Join(filepath.Dir(left), "owner")
	said, err := os.ReadFile(owner)
	if err := errors.Join(err, stale.lock.Close(), os.WriteFile(owner, said, 0o600)); err != nil { // as where it is killed
		t.Fatal(err)
	}
	young := filepath.Join(temp, "agent-sidecar-temp-young") // somebody is making it
	elsewhere := filepath.Join(temp, "elsewhere")
	link := filepath.Join(temp, "agent-sidecar-temp-link")
	for _, dir := range []string{young, elsewhere} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * tempYoung)
	unlocked := filepath.Join(temp, "agent-sidecar-temp-old") // nobody came to lock it
	if err := os.Mkdir(unlocked, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(kept), unlocked, elsewhere} {
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := SweepTemps(); err != nil {
		t.Error(err)
	}
	for path, stays := range map[string]bool{kept: true, filepath.Dir(left): false, unlocked: false, young: true, elsewhere: true, link: true} {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s: %v", path, err)
		}
	}

	first := open(&cleaned)
	if err := os.RemoveAll(filepath.Dir(first)); err != nil {
		t.Fatal(err)
	}
	if again := open(&cleaned); again == first {
		t.Error("what was cleaned away is given again")
	}
	for _, p := range []*Temp{&living, &cleaned} {
		own := p.own
		if err := p.Remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(own); err == nil {
			t.Errorf("%s is still there", own)
		}
	}
}

// A sweep of another process takes none away that is just being made.
func TestPrivateTempIsMadeBesideASweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	over, swept := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-over:
				close(swept)
				return
			default:
				if err := SweepTemps(); err != nil {
					swept <- err
					return
				}
			}
		}
	}()
	for range 300 {
		var p Temp
		dir, err := p.Dir()
		if err == nil {
			_, err = os.Stat(dir)
		}
		if err != nil || p.lock.Lost() {
			t.Fatal(err)
		}
		if err := p.Remove(); err != nil {
			t.Fatal(err)
		}
	}
	close(over)
	if err := <-swept; err != nil {
		t.Error(err)
	}
}

// What a command has left in its /tmp goes with it, also directories that nobody may
// change or read.
func TestPrivateTempThatIsReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may change everything")
	}
	t.Setenv("TMPDIR", t.TempDir())
	var p Temp
	dir, err := p.Dir()
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"readonly": 0o500, "closed": 0} {
		deep := filepath.Join(dir, name, "deep")
		if err := os.MkdirAll(deep, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(deep, "file"), nil, 0o400); err != nil {
			t.Fatal(err)
		}
		for _, d := range []string{deep, filepath.Dir(deep)} {
			if err := os.Chmod(d, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	own := p.own
	if err := p.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(own); err == nil {
		t.Errorf("%s is still there", own)
	}
}
