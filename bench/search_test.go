package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	searchGate = 1.2 // × ripgrep
	limitGate  = 0.5 // the same, where all that is shown is found early
	searchRuns = 9   // of each, one after the other; the median counts
)

// search is one question to both, ours as the arguments of a tool. gate is how many
// times ripgrep's time it may take; 0: it is told.
type search struct {
	what  string
	gate  float64
	tool  string
	args  string
	rg    []string
	links bool // ours also names links
}

var searches = []search{
	{"rare word", searchGate, "grep", `{"pattern": "quokkaHandshake"}`, []string{"-n", "quokkaHandshake"}, false},
	{"rare word, files", searchGate, "grep", `{"pattern": "quokkaHandshake", "mode": "files"}`, []string{"-l", "quokkaHandshake"}, false},
	{"rare word, any case", searchGate, "grep", `{"pattern": "QUOKKAhandshake", "ignoreCase": true}`, []string{"-n", "-i", "QUOKKAhandshake"}, false},
	{"common word", limitGate, "grep", `{"pattern": "return"}`, []string{"-n", "return"}, false},
	{"common word, files", limitGate, "grep", `{"pattern": "return", "mode": "files"}`, []string{"-l", "return"}, false},
	{"common word, count", searchGate, "grep", `{"pattern": "return", "mode": "count"}`, []string{"-c", "return"}, false},
	{"common word, any case", searchGate, "grep", `{"pattern": "error", "ignoreCase": true, "mode": "count"}`, []string{"-c", "-i", "error"}, false},
	{"three bytes", searchGate, "grep", `{"pattern": "ctx", "mode": "count"}`, []string{"-c", "ctx"}, false},
	{"one of three words", searchGate, "grep", `{"pattern": "deprecated|Deadline|Quux"}`, []string{"-n", "deprecated|Deadline|Quux"}, false},
	{"a word inside a pattern", searchGate, "grep", `{"pattern": "func \\w+Handler\\("}`, []string{"-n", `func \w+Handler\(`}, false},
	{"a word at its borders", searchGate, "grep", `{"pattern": "\\bUnmarshal\\b"}`, []string{"-n", `\bUnmarshal\b`}, false},
	{"a word, in Go files", searchGate, "grep", `{"pattern": "deadline", "include": "*.go"}`, []string{"-n", "-g", "*.go", "deadline"}, false},
	{"two bytes", 0, "grep", `{"pattern": ":=", "mode": "count"}`, []string{"-c", ":="}, false},
	{"classes only", 0, "grep", `{"pattern": "[0-9]{3}-[0-9]{4}"}`, []string{"-n", `[0-9]{3}-[0-9]{4}`}, false},
	{"classes only, common", 0, "grep", `{"pattern": "[A-Z]\\w+\\[[a-z]+\\]", "mode": "count"}`, []string{"-c", `[A-Z]\w+\[[a-z]+\]`}, false},
	{"no letter of it known", 0, "grep", `{"pattern": "[A-Z]{4}[0-9]{2}"}`, []string{"-n", `[A-Z]{4}[0-9]{2}`}, false},
	{"any line with a word", searchGate, "grep", `{"pattern": ".*Timeout.*", "mode": "count"}`, []string{"-c", ".*Timeout.*"}, false},
	{"glob **/*.go", searchGate, "glob", `{"pattern": "**/*.go"}`, []string{"--files", "-g", "**/*.go"}, false},
	{"glob **/*", 0, "glob", `{"pattern": "**/*"}`, []string{"--files"}, true},
}

// ripgrep are the options that make it look where our tools look.
var ripgrep = []string{"--no-config", "--no-require-git", "--hidden", "--no-ignore-dot", "--max-filesize", "10M", "--no-messages"}

// BenchmarkSearch holds grep and glob against ripgrep on the same 50,000 files
// with the same ignores, in turns. Ours is the call as its event tells it, theirs
// the whole process. Processor time stands beside the time on the wall, which
// others on the machine disturb; ours is that of the whole turn.
func BenchmarkSearch(b *testing.B) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		noted("grep and glob beside ripgrep", "left out: rg is not installed")
		b.Skip("rg is not installed")
	}
	s := &sideBySide{top: b, rg: rg}
	m := newInstant(b, s.answer)
	if s.dir = os.Getenv("BENCH_TREE"); s.dir == "" { // set: grown by an earlier run, or a project to compare on
		s.dir = b.TempDir()
		growTree(b, s.dir)
	}
	e := openEditorIn(b, s.dir, m.url)
	m.work = e.processor
	for _, q := range searches {
		b.Run(q.what, func(b *testing.B) {
			s.begin(b, q)
			e.b = b
			defer func() { e.b = s.top }()
			from := len(m.came)
			e.prompt("", "look", s.see)
			s.report(m, from)
		})
	}
}

// sideBySide asks both the same and keeps what they took.
type sideBySide struct {
	top     *testing.B // that the sidecar lives in
	b       *testing.B // of this search
	rg, dir string

	q             search
	asked         int
	wall, work    []time.Duration // of ripgrep
	took          []time.Duration // ours
	said          string
	theirCount    int
	theirFailures error
}

func (s *sideBySide) begin(b *testing.B, q search) {
	*s = sideBySide{top: s.top, b: b, rg: s.rg, dir: s.dir, q: q}
}

// answer is the model: it lets ripgrep search while the sidecar waits, and then
// asks for the same.
func (s *sideBySide) answer(n int) []string {
	if s.asked > searchRuns {
		return []string{text("Found.")}
	}
	s.asked++
	cmd := exec.Command(s.rg, append(append([]string{}, ripgrep...), append(s.q.rg, ".")...)...)
	cmd.Dir = s.dir
	start := time.Now()
	count, err := countOutput(cmd, s.q)
	if err != nil {
		s.theirFailures = err
	}
	usage := cmd.ProcessState
	s.wall = append(s.wall, time.Since(start))
	s.work = append(s.work, usage.UserTime()+usage.SystemTime())
	s.theirCount = count
	return []string{call(n, s.q.tool, s.q.args)}
}

// countOutput runs ripgrep and counts what it found as our answers count: lines
// in all, or files.
func countOutput(cmd *exec.Cmd, q search) (int, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	all, err := io.ReadAll(out)
	if err != nil {
		return 0, err
	}
	if err := cmd.Wait(); err != nil {
		if code := err.(*exec.ExitError).Sys().(syscall.WaitStatus).ExitStatus(); code != 1 && code != 2 {
			return 0, err
		}
	}
	n := bytes.Count(all, []byte("\n"))
	if q.rg[0] == "-c" {
		n = 0
		for line := range strings.Lines(string(all)) {
			c, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndexByte(line, ':')+1:]))
			if err != nil {
				return 0, err
			}
			n += c
		}
	}
	return n, nil
}

func (s *sideBySide) see(frame []byte) {
	if !bytes.Contains(frame, []byte(`"type":"tool.returned"`)) {
		return
	}
	var event struct {
		Params struct {
			Data struct {
				Text, Status string
				DurationMs   int64
			}
		}
	}
	if err := json.Unmarshal(frame, &event); err != nil || event.Params.Data.Status != "completed" {
		s.b.Fatalf("%v: %.600s", err, frame)
	}
	s.said = event.Params.Data.Text
	s.took = append(s.took, time.Duration(event.Params.Data.DurationMs)*time.Millisecond)
}

var (
	saidLines = regexp.MustCompile(`(\d+) matching lines?`)
	saidFiles = regexp.MustCompile(`(\d+) files?\b`)
	uncounted = regexp.MustCompile(`more than \d+|there (are|may be) more`)
)

// ourCount is the number that our answer gives for all it found; false: it was not counted.
func (s *sideBySide) ourCount() (int, bool) {
	last := s.said[1+strings.LastIndexByte(s.said, '\n'):]
	if uncounted.MatchString(last) {
		return 0, false
	}
	found := saidLines.FindStringSubmatch(last)
	if found == nil {
		found = saidFiles.FindStringSubmatch(strings.Replace(last, "the first 100 of", "", 1))
	}
	if found == nil {
		return 0, true
	}
	n, _ := strconv.Atoi(found[1]) // digits
	return n, true
}

func (s *sideBySide) report(m *instant, from int) {
	s.b.Helper()
	if s.theirFailures != nil {
		s.b.Fatalf("%s: rg: %v", s.q.what, s.theirFailures)
	}
	want := s.theirCount
	if s.q.links {
		want += treeLinks
	}
	if ours, counted := s.ourCount(); counted && ours != want {
		s.b.Errorf("%s: we found %d, rg %d: %.300s", s.q.what, ours, s.theirCount, s.said[1+strings.LastIndexByte(s.said, '\n'):])
	}
	var work []time.Duration
	m.mu.Lock()
	for n := from + 1; n < len(m.came); n++ {
		work = append(work, m.worked[n]-m.worked[n-1])
	}
	m.mu.Unlock()
	// The first of each fills the caches.
	ours, theirs := median(s.took[1:]), median(s.wall[1:])
	measured := fmt.Sprintf("%.0f ms; rg %.0f; processor %.0f ms; rg %.0f: %.2f; %d found",
		ms(ours), ms(theirs), ms(median(work[1:])), ms(median(s.work[1:])), float64(median(work[1:]))/float64(median(s.work[1:])), s.theirCount)

	ratio := float64(ours) / float64(theirs)
	what := s.q.tool + ", " + s.q.what
	if s.q.tool == "glob" {
		what = s.q.what
	}
	if s.q.gate > 0 {
		gated(s.b, what, ratio, s.q.gate, "×rg", measured)
	} else {
		noted(what, "%.2f ×rg  (%s)", ratio, measured)
	}
}
