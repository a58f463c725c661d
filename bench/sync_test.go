package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	syncGoal  = 1.25 // of the time of a run without copies
	syncRuns  = 61
	syncFirst = 11 // what comes before reaches the server and fills caches
)

// BenchmarkSync is what it costs a run that its log is copied to a server on this machine, as
// a ratio to the same run without. The two run in turns.
func BenchmarkSync(b *testing.B) {
	var said string
	value, _ := attempts(syncGoal, func() (float64, string) {
		var wall [2][]time.Duration
		var runs [2]func()
		var editors [2]*editor
		for i, url := range []string{"", copiesServer(b)} {
			editors[i], runs[i] = copied(b, url)
		}
		for n := range syncRuns {
			for i, run := range runs {
				began := time.Now()
				run()
				if n >= syncFirst {
					wall[i] = append(wall[i], time.Since(began))
				}
			}
		}
		if status := editors[1].call("agent/status", map[string]any{}); !strings.Contains(string(status), `"reached":true`) {
			b.Fatalf("nothing was copied: %s", status)
		}
		var work [2]time.Duration
		for i, e := range editors {
			e.stop()
			work[i] = e.cmd.ProcessState.UserTime() + e.cmd.ProcessState.SystemTime()
		}
		off, on := median(wall[0]), median(wall[1])
		said = fmt.Sprintf("%.2f ms, without %.2f; CPU of %d runs and the start %.2f ×", ms(on), ms(off), syncRuns, float64(work[1])/float64(work[0]))
		return float64(on) / float64(off), said
	})
	aimed(b, "a run of one call whose log is copied, to one whose log is not", value, syncGoal, "x", said)
}

// copied is a sidecar whose sessions are copied to a server, "" for none, and one run of
// its.
func copied(b *testing.B, url string) (*editor, func()) {
	b.Helper()
	m := newInstant(b, func(n int) []string {
		if n%2 == 1 {
			return []string{text("Done.")}
		}
		return []string{call(n, "read", `{"path": "a.txt"}`)}
	})
	dir := filepath.Join(b.TempDir(), "workspace")
	if err := os.Mkdir(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	e := newEditor(b, dir)
	e.write(filepath.Join(dir, "a.txt"), strings.Repeat("a line of it\n", 80))
	sidecar, _ := binaries(b)
	config := fmt.Sprintf(settings, m.url, "", sidecar)
	if url != "" {
		config = strings.Replace(config, "{", fmt.Sprintf(`{"sync": {"url": %q, "workspaces": {%q: "w"}},`, url, dir), 1)
		cmd := exec.Command(sidecar, "sync", "key")
		cmd.Env = append(os.Environ(), "AGENT_SIDECAR_HOME="+e.home)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	e.open(config)
	session := e.prompt("", "do it", nil)
	return e, func() { e.prompt(session, "do it", nil) }
}

// copiesServer is a server for copies in this process, which ends with the benchmark.
func copiesServer(b *testing.B) string {
	b.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: b.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		b.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		b.Fatal("the server does not start")
	}
	b.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return "nats://" + s.Addr().String()
}
