package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// misbehaviours is where the table lies: a file for each group, a row for each way in which
// a model or its server goes wrong: a name, the turns of a scripted model
// (testclient/README.md), which are repeated, and what came of three prompts.
const misbehaviours = "testdata/misbehaviours"

// TestMisbehaviours plays every row with three prompts: two to a server that goes wrong, and
// one to the same server once it is well. No prompt ends without a word to the person, the
// second ends no worse than the first, the third is answered, and no request has a history
// that a strict provider refuses. What came of each prompt stands below the row; -update
// writes it there. Rows that stand in the file later may end worse.
func TestMisbehaviours(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(misbehaviours, "*.txt"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%d groups: %v", len(files), err)
	}
	prober := sandbox.NewProber("")
	prober.Report(sandbox.Settings{})
	rows, later := 0, readLater(t)
	for _, file := range files {
		group, name := readMisbehaviours(t, file), strings.TrimSuffix(filepath.Base(file), ".txt")
		rows += len(group.rows)
		for _, row := range group.rows {
			_, row.later = later[name+"/"+row.name]
			delete(later, name+"/"+row.name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if *update {
					group.write(t, file)
				}
			})
			for _, row := range group.rows {
				t.Run(row.name, func(t *testing.T) {
					t.Parallel()
					dir := roomOf(t)
					synctest.Test(t, func(t *testing.T) {
						row.judge(t, row.play(t, testclient.Options{Dir: dir, Start: startHere(t, prober), Settle: synctest.Wait, Update: true}))
					})
				})
			}
		})
	}
	if rows < 138 {
		t.Errorf("the table has %d rows", rows)
	}
	for row := range later {
		t.Errorf("no row is called %s", row)
	}
}

// readLater are the rows whose outcome is not what it should be yet.
func readLater(t *testing.T) map[string]string {
	all := map[string]string{}
	err := eachLine(filepath.Join(misbehaviours, "later"), func(line []byte) error {
		if row, what, is := strings.Cut(strings.TrimSpace(string(line)), ": "); is && row[0] != '#' {
			all[row] = what
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

type misbehaviourGroup struct {
	head string // what stands before the first row
	rows []*misbehaviour
}

// misbehaviour is a row: the turns of a model, and what came of three prompts.
type misbehaviour struct {
	name     string
	later    bool     // it is not as it should be yet
	config   string   // of the models, "" for one at the usual address
	script   []string // lines
	outcomes []string
}

func readMisbehaviours(t *testing.T, file string) *misbehaviourGroup {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g := &misbehaviourGroup{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		name, begins := strings.CutPrefix(line, "== ")
		switch {
		case begins:
			if slices.ContainsFunc(g.rows, func(m *misbehaviour) bool { return m.name == name }) {
				t.Fatalf("%s: two rows are called %s", file, name)
			}
			g.rows = append(g.rows, &misbehaviour{name: name})
		case len(g.rows) == 0:
			g.head += line + "\n"
		default:
			g.rows[len(g.rows)-1].add(line)
		}
	}
	return g
}

var outcomeLine = regexp.MustCompile(`^[123]: `)

func (m *misbehaviour) add(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case outcomeLine.MatchString(line):
		m.outcomes = append(m.outcomes, line)
	case word == "config":
		m.config = rest
	case line != "":
		m.script = append(m.script, line)
	}
}

func (g *misbehaviourGroup) write(t *testing.T, file string) {
	var b strings.Builder
	b.WriteString(g.head)
	for _, m := range g.rows {
		fmt.Fprintf(&b, "== %s\n", m.name)
		if m.config != "" {
			fmt.Fprintf(&b, "config %s\n", m.config)
		}
		for _, line := range append(m.script, m.outcomes...) {
			b.WriteString(line + "\n")
		}
		b.WriteString("\n")
	}
	if err := os.WriteFile(file, []byte(strings.TrimSuffix(b.String(), "\n")), 0o644); err != nil {
		t.Error(err)
	}
}

// promptsSent are what is sent; the server is well for the last.
var promptsSent = []string{"first prompt", "second prompt", "third prompt"}

// model is the script: what the row says, as often as it is asked.
func (m *misbehaviour) model() string {
	all := strings.Split("\n"+strings.Join(m.script, "\n")+"\n", "\n---")
	for i, turn := range all {
		lines := strings.Split(turn, "\n")
		for j, line := range lines {
			word, rest, _ := strings.Cut(line, " ")
			if long := longForms[word]; long != nil {
				lines[j] = long(rest)
			}
		}
		if turn = strings.Join(lines, "\n"); !strings.Contains(turn, "\nrepeat ") {
			turn += "\nrepeat 1000\n"
		}
		all[i] = turn + "\noptional\n"
	}
	return "when " + promptsSent[2] + "\noptional\nsay Well again.\n---" + strings.Join(all, "---")
}

// longForms are short words for verbs of the scripted model. A text behind one is not quoted;
// it has the escapes of Go.
var longForms = map[string]func(text string) string{
	"stream": func(text string) string {
		return exactly("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + spelt(text))
	},
	"body": func(text string) string {
		mime, text, _ := strings.Cut(text, " ")
		return exactly("HTTP/1.1 200 OK\r\nContent-Type: " + mime + "\r\n\r\n" + spelt(text))
	},
	"answer": func(text string) string { return exactly("HTTP/1.1 " + spelt(text)) },
	"wire":   func(text string) string { return exactly(spelt(text)) },
	"gzip": func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(spelt(text)))
		_ = z.Close()
		return exactly("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n" + b.String())
	},
	"calls": func(text string) string { // calls 300 read {…}, each with its number in the place of #
		n, call, _ := strings.Cut(text, " ")
		most, _ := strconv.Atoi(n)
		var b strings.Builder
		for i := range most {
			fmt.Fprintf(&b, "call c$N-%d %s\n", i, strings.ReplaceAll(call, "#", strconv.Itoa(i+1)))
		}
		return b.String()
	},
	"long": func(text string) string { // long 3000000 word
		n, word, _ := strings.Cut(text, " ")
		most, _ := strconv.Atoi(n)
		return "say " + strconv.Quote(strings.Repeat(word, most/len(word)))
	},
}

func exactly(text string) string { return "http " + strconv.Quote(text) }

// spelt has the escapes of a text and the pieces of a stream that stand in it as «text».
func spelt(text string) string {
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, text))
	}
	text = strings.ReplaceAll(text, "«stop»", `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	return regexp.MustCompile(`«([^»]*)»`).ReplaceAllString(text, `{"choices":[{"index":0,"delta":{"content":"$1"}}]}`)
}

// played is what came of a row.
type played struct {
	lines    []string // by prompt
	ends     []ending
	problems []string
	wire     string
}

// play sends the prompts one after the other.
func (m *misbehaviour) play(t *testing.T, o testclient.Options) *played {
	var mu sync.Mutex // guards asked and last
	asked, last := make([]int, len(promptsSent)), make([]time.Duration, len(promptsSent))
	begun := time.Now()
	o.Watch = func(r scriptmodel.Request) {
		if bytes.Contains(r.Body, []byte("You name conversations.")) {
			return // a title is asked for beside the run
		}
		mu.Lock()
		defer mu.Unlock()
		for i, prompt := range slices.Backward(promptsSent) {
			if bytes.Contains(r.Body, []byte(prompt)) {
				asked[i]++
				last[i] = time.Since(begun)
				return
			}
		}
	}
	text := "-- workspace/a.txt --\nhello\n"
	if m.config != "" {
		text += "-- config --\n" + m.config + "\n"
	}
	text += "-- model --\n" + m.model() + "-- client --\nviewer\n-- conversation --\n" +
		"--- hide session.opened session.changed run.started run.state usage message.delta reasoning.delta tool.input tool.requested tool.decided run.ended\n"
	for i, prompt := range promptsSent {
		session := ""
		if i > 0 {
			session = `"sessionId": "0001", `
		}
		text += fmt.Sprintf("--> agent/run #%d {%s\"prompt\": %q, \"await\": true}\n--- wait 1h\n", i+2, session, prompt)
	}
	c, err := testclient.ParseConversation(m.name, text+"--> shutdown #99\n--> exit {}\n")
	if err != nil {
		t.Fatal(err)
	}
	r := testclient.Play(c, o)
	p := &played{problems: r.Problems, wire: r.Wire}
	_, conversation, _ := strings.Cut(r.Updated, "-- conversation --\n")
	for i, part := range strings.Split(conversation, "--> agent/run ")[1:] {
		e := endingOf(part)
		p.ends = append(p.ends, e)
		line := fmt.Sprintf("asked %d: %s", asked[i], e.line())
		if took := last[i] - time.Duration(i)*time.Hour; took >= time.Minute {
			line = fmt.Sprintf("asked %d in %s: %s", asked[i], took.Round(time.Minute), e.line())
		}
		p.lines = append(p.lines, line)
	}
	return p
}

// ending is how a prompt ended, and what the person and the model were told on the way.
type ending struct {
	StopReason string
	Text       string
	Message    string
	Error      *struct{ Kind, Message string }
	told       []string
}

func endingOf(wire string) (e ending) {
	for line := range strings.Lines(wire) {
		if text, is := strings.CutPrefix(line, "<-- agent/event "); is {
			e.hear(text)
			continue
		}
		if text, is := strings.CutPrefix(line, "<-- #"); is {
			_, text, _ = strings.Cut(text, " result ")
			_ = json.Unmarshal([]byte(text), &e) // another answer than that of a run has nothing of it
		}
	}
	return e
}

func (e *ending) hear(text string) {
	var event struct {
		Type string
		Data struct{ Title, Tool, Status, Text, Reason, Kind string }
	}
	if json.Unmarshal([]byte(text), &event) != nil {
		return
	}
	switch d := event.Data; event.Type {
	case "notice":
		e.told = append(e.told, "notice "+d.Title)
	case "tool.returned":
		e.told = append(e.told, d.Tool+" "+d.Status+" "+d.Text)
	case "loop.detected":
		e.told = append(e.told, "loop "+d.Reason)
	case "context.compacted":
		e.told = append(e.told, "compacted")
	}
}

// line is the ending in one line.
func (e *ending) line() string {
	parts := []string{e.StopReason}
	if e.Error != nil {
		parts[0] += " " + e.Error.Kind
		parts = append(parts, e.Error.Message)
	}
	if e.Text != "" {
		parts = append(parts, strconv.Quote(shortened(e.Text)))
	}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	told := e.told
	if more := len(told) - 3; more > 1 {
		told = append(slices.Clone(told[:2]), fmt.Sprintf("(+%d)", more), told[len(told)-1])
	}
	for _, text := range told {
		parts = append(parts, shortened(strings.ReplaceAll(text, "\n", " / ")))
	}
	return strings.Join(parts, " | ")
}

func shortened(text string) string {
	if all := []rune(text); len(all) > 200 {
		return string(all[:100]) + "…" + string(all[len(all)-90:])
	}
	return text
}

// badly says how badly a prompt ended: what came of it, words why nothing did, or an error.
func (e *ending) badly() int {
	switch {
	case e.Error != nil:
		return 2
	case strings.TrimSpace(e.Text) == "":
		return 1
	}
	return 0
}

// judge holds what came against the laws of the table and against the row.
func (m *misbehaviour) judge(t *testing.T, p *played) {
	var lines []string
	for i, line := range p.lines {
		n := fmt.Sprintf("%d: ", i+1)
		if rest, is := strings.CutPrefix(line, `asked 1: end_turn | "Well again."`); is && i == 2 {
			line = "well" + rest
		} else if i > 0 && line == p.lines[0] {
			line = "as before"
		}
		lines = append(lines, n+line)
	}
	if *update {
		m.outcomes = lines
	}
	if got, want := strings.Join(lines, "\n"), strings.Join(m.outcomes, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, bad := range p.problems {
		t.Error(bad)
	}
	for i, e := range p.ends {
		if e.StopReason == "" || e.Error == nil && e.Message == "" && strings.TrimSpace(e.Text) == "" {
			t.Errorf("prompt %d ended without a word: %s", i+1, p.lines[i])
		}
	}
	if !m.later && (len(p.ends) != len(promptsSent) || p.ends[1].badly() > p.ends[0].badly() || p.ends[2].Text != "Well again.") {
		t.Errorf("the session does not live on:\n%s", strings.Join(p.lines, "\n"))
	}
	if t.Failed() && p.wire != "" {
		t.Log(p.wire)
	}
}
