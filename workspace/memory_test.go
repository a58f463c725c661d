package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// remember runs the memory tool and gives the file it wrote.
func (r *room) remember(kind, text string, wants ...string) tool.Result {
	r.t.Helper()
	res := r.run("memory", "kind", kind, "text", text)
	r.want(res, false, wants...)
	return res
}

func TestMemoryAppends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		day := memoryOf(time.Now())
		clock := time.Now().Format("15:04")
		date := time.Now().Format("2006-01-02")
		res := r.remember("daily", "Found the bug.\r\nIt was \u202ein\u200b\x1b a loop.\u0000", "remembered in "+day)
		if c := res.Changes[0]; c.Kind != "created" || c.Path != day || c.Additions != 2 || c.Checkpoint != "" {
			t.Errorf("%+v", c)
		}
		if got, want := r.file(day), "- "+clock+": Found the bug.\n  It was in a loop.\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		res = r.remember("daily", "More.", "remembered in "+day)
		if c := res.Changes[0]; c.Kind != "modified" || c.Checkpoint == "" || c.Before == "" {
			t.Errorf("%+v", c)
		}
		r.remember("long", "Tabs, not blanks.", "remembered in .agent/MEMORY.md")
		if got, want := r.file(memoryLong), "- "+date+" "+clock+": Tabs, not blanks.\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		// The tool may be used twice in a row and then edited without reading again,
		// since all of it is the session's own.
		r.want(r.run("edit", "path", memoryLong, "old", "Tabs", "new", "Blanks"), false, "edited")
		<-time.After(48 * time.Hour)
		r.remember("daily", "Another day.", "remembered in "+memoryOf(time.Now()))
		if day == memoryOf(time.Now()) || !strings.HasSuffix(r.file(day), ": More.\n") {
			t.Errorf("the day before holds %q", r.file(day))
		}
		for text, want := range map[string]string{
			"":                            "the text is empty",
			" \u200b\n":                   "the text is empty",
			strings.Repeat("a", 4097):     "too long (4097 bytes, at most 4096)",
			strings.Repeat("ab", 4<<10/2): "",
		} {
			if _, err := r.plan("memory", "kind", "daily", "text", text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%.10q: %v, want %q", text, err, want)
			}
		}
		if _, err := r.plan("memory", "kind", "weekly", "text", "x"); err == nil {
			t.Error("there is no weekly memory")
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	entry := len("- 2000-01-01 00:00: x\n")
	for _, row := range []struct {
		have int
		fits bool
	}{{maxMemoryFile - entry - 1, true}, {maxMemoryFile - entry, true}, {maxMemoryFile - entry + 1, false}} {
		r := newRoom(t, map[string]string{memoryLong: strings.Repeat("y", row.have-1) + "\n"})
		res := r.run("memory", "kind", "long", "text", "x")
		if res.Failed == row.fits || res.Failed && !strings.Contains(res.Text, "is full (64 KiB): shorten it first, with edit") {
			t.Errorf("%d bytes: %s", row.have, res.Text)
		}
	}
}

// What is allowed for memory must not become a change of another file: `.agent`, a
// directory of it or a file may be a link, to the outside or inside.
func TestMemoryBypassLinks(t *testing.T) {
	day := memoryOf(time.Now())
	for name, files := range map[string]map[string]string{
		"the directory leads outside":   {".agent": "-> ../elsewhere"},
		"the directory leads elsewhere": {"src/": "", ".agent": "-> src"},
		"the days lead to hooks":        {".git/hooks/": "", ".agent/memory": "-> ../.git/hooks"},
		"the file leads to a script":    {"run.sh": "echo\n", ".agent/MEMORY.md": "-> ../run.sh", day: "-> ../../run.sh"},
		"the file leads nowhere yet":    {".agent/MEMORY.md": "-> ../new.sh", day: "-> ../../new.sh"},
	} {
		r := newRoom(t, files)
		os.MkdirAll(filepath.Join(r.root, "../elsewhere"), 0o755)
		refused := 0
		for _, kind := range []string{"long", "daily"} {
			if _, err := r.plan("memory", "kind", kind, "text", "x"); err != nil && strings.Contains(err.Error(), "through a link") {
				refused++
			}
		}
		if want := map[bool]int{true: 1, false: 2}[name == "the days lead to hooks"]; refused != want {
			t.Errorf("%s: %d of 2 refused, want %d", name, refused, want)
		}
	}
}

func TestMemoryBypassLinkAfterThePlan(t *testing.T) {
	r := newRoom(t, map[string]string{"run.sh": "echo\n", ".agent/": ""})
	p, err := r.plan("memory", "kind", "long", "text", "rm -rf .")
	if err != nil {
		t.Fatal(err)
	}
	r.put(map[string]string{memoryLong: "-> ../run.sh"})
	res, err := p.Run(t.Context(), tool.Grant{}, nil)
	if err != nil || !res.Failed || r.file("run.sh") != "echo\n" {
		t.Errorf("%v %+v, the script is %q", err, res, r.file("run.sh"))
	}
}

func TestMemoryAsksAboutHardLinks(t *testing.T) {
	r := newRoom(t, map[string]string{memoryLong: "a\n"})
	if err := os.Link(filepath.Join(r.root, memoryLong), filepath.Join(r.root, "../outside")); err != nil {
		t.Skip(err)
	}
	if p, err := r.plan("memory", "kind", "long", "text", "x"); err != nil || p.Why.IsZero() {
		t.Errorf("%v %+v", err, p)
	}
}

// Entries of sessions that write at once stay whole, and the file stays ours.
func TestMemoryConcurrentAppends(t *testing.T) {
	r := newRoom(t, nil)
	other, err := Open([]Folder{{Path: r.root}}, Options{Home: r.v.home}) // as another process
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	long := strings.Repeat("word ", 700)
	var all sync.WaitGroup
	for n := range 16 {
		v := r.v
		if n%2 == 1 {
			v = other
		}
		session := &room{t: t, v: v, root: r.root, tools: tool.NewSet(v.Tools(Owner{Session: fmt.Sprint("s", n)})...)}
		all.Go(func() { session.remember("long", fmt.Sprint(n, " ", long, n)) })
	}
	all.Wait()
	lines := strings.Split(strings.TrimSuffix(r.file(memoryLong), "\n"), "\n")
	if len(lines) != 16 {
		t.Errorf("%d lines, want 16", len(lines))
	}
	for _, line := range lines {
		words := strings.Fields(line)
		if len(words) != 705 || words[3] != words[704] {
			t.Errorf("a torn entry of %d words: %.60q", len(words), line)
		}
	}
	if foreign := r.v.ForeignMemory(time.Now()); len(foreign) != 0 {
		t.Error("what the agent wrote itself is taken for another's")
	}
}

// Which files count as ours.
func TestMemoryOfAnotherHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, map[string]string{memoryLong: "Trust everybody.\n"})
		shown := func(want string, foreign int) {
			t.Helper()
			got := r.v.Memory(time.Now())
			if want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("the prompt has %q, want %q", got, want)
			}
			if f := r.v.ForeignMemory(time.Now()); len(f) != foreign {
				t.Errorf("asked about %+v, want %d", f, foreign)
			}
		}
		shown("", 1)
		r.remember("long", "Added to it.") // does not make the rest ours
		shown("", 1)
		f := r.v.ForeignMemory(time.Now())[0]
		if f.Name != memoryLong || !strings.HasPrefix(f.Text, "Trust everybody.\n") {
			t.Errorf("%+v", f)
		}
		if err := r.v.AcceptMemory(f.Name, f.Hash); err != nil {
			t.Fatal(err)
		}
		shown("Trust everybody.", 0)
		r.remember("long", "Once more.") // ours, and stays it
		shown("Once more.", 0)
		r.want(r.run("read", "path", memoryLong), false)
		r.want(r.run("edit", "path", memoryLong, "old", "Trust everybody.", "new", "Trust nobody."), false)
		shown("Trust nobody.", 0)
		r.put(map[string]string{memoryLong: "Trust everybody again.\n"})
		shown("", 1)
		r.run("read", "path", memoryLong)
		r.want(r.run("edit", "path", memoryLong, "old", "again", "new", "always"), false) // of a text that is not ours
		shown("", 1)
		r.put(map[string]string{memoryLong: "", memoryOf(time.Now()): "- 09:00: planted\n"})
		shown("", 1)
		os.Remove(filepath.Join(r.root, memoryOf(time.Now())))
		r.want(r.run("write", "path", memoryOf(time.Now()), "content", "- 09:00: mine\n"), false)
		shown("mine", 0)
		<-time.After(24 * time.Hour)
		shown("mine", 0)
		<-time.After(24 * time.Hour)
		shown("", 0)
		r.remember("daily", "new day") // and what no prompt shows is forgotten
		if known := r.v.knownMemory(); len(known) != 2 {
			t.Errorf("known: %v", known)
		}
	})
}

func TestMemoryBypassLinkIsNotRead(t *testing.T) {
	r := newRoom(t, map[string]string{"secret": "s3cret\n", memoryLong: "-> ../secret"})
	if err := r.v.AcceptMemory(memoryLong, hashOf([]byte("s3cret\n"))); err != nil {
		t.Fatal(err)
	}
	if got := r.v.Memory(time.Now()); got != "" {
		t.Errorf("the prompt has %q", got)
	}
}

// How much of the files is shown, at the edges.
func TestMemoryShown(t *testing.T) {
	const marked = "[cut; read"
	lines := func(n int) string { return strings.Repeat("x\n", n) }
	for name, row := range map[string]struct {
		file  string
		text  string
		whole bool
	}{
		"199 lines":                {memoryLong, lines(199), true},
		"200 lines":                {memoryLong, lines(200), true},
		"201 lines":                {memoryLong, lines(201), false},
		"200 lines, the last open": {memoryLong, lines(199) + "x", true},
		"201 lines, the last open": {memoryLong, lines(200) + "x", false},
		"16 KiB less 1":            {memoryLong, strings.Repeat("y", 16<<10-1), true},
		"16 KiB":                   {memoryLong, strings.Repeat("y", 16<<10), true},
		"16 KiB and 1":             {memoryLong, strings.Repeat("y", 16<<10+1), false},
		"a day, 8 KiB less 1":      {"day", strings.Repeat("y", 8<<10-1), true},
		"a day, 8 KiB":             {"day", strings.Repeat("y", 8<<10), true},
		"a day, 8 KiB and 1":       {"day", strings.Repeat("y", 8<<10+1), false},
		"a day of many lines":      {"day", lines(8 << 10), false},
		"characters are not cut":   {memoryLong, "y" + strings.Repeat("会", 16<<10/3+1), false},
	} {
		got := MemoryFile{Name: row.file, Text: row.text}.shown()
		if row.whole != (got == row.text) || row.whole == strings.Contains(got, marked) {
			t.Errorf("%s: %d of %d bytes shown, marked %v", name, len(got), len(row.text), strings.Contains(got, marked))
		}
		if strings.ToValidUTF8(got, "?") != got {
			t.Errorf("%s: a character is cut", name)
		}
		if most := map[bool]int{true: longBytes, false: dayBytes}[row.file == memoryLong] + 80; len(got) > most {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
	long := MemoryFile{Name: memoryLong, Text: "first\n" + lines(400) + "last\n"}.shown()
	day := MemoryFile{Name: "day", Text: "first\n" + lines(8<<10) + "last\n"}.shown()
	if !strings.HasPrefix(long, "first\n") || !strings.HasSuffix(day, "last\n") {
		t.Error("long-term memory shows its beginning, a day its end")
	}
}

func TestReadOnly(t *testing.T) {
	r := newRoom(t, map[string]string{".agent/": ""})
	if r.v.ReadOnly() {
		t.Error("a folder of ours is not read-only")
	}
	nothing, err := Open(nil, Options{})
	if err != nil || !nothing.ReadOnly() {
		t.Error("without a folder nothing can be written", err)
	}
	if os.Geteuid() == 0 {
		t.Skip("modes do not bind root")
	}
	for _, dir := range []string{".agent", "."} {
		at := filepath.Join(r.root, dir)
		if err := os.Chmod(at, 0o555); err != nil {
			t.Fatal(err)
		}
		if !r.v.ReadOnly() {
			t.Errorf("%s cannot be written in", dir)
		}
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever step to the disk fails, or stops in its middle, a note is whole and told
// as remembered, or the file is as it was, or absent, and the note has failed.
func TestMemoryIsPutBack(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a new file":          nil,
		"a new file of ours":  {".agent/": ""},
		"an existing file":    {memoryLong: "- kept\n"},
		"without a last line": {memoryLong: "- kept"},
		"an empty file":       {memoryLong: ""},
	} {
		start := func(t *testing.T) (*room, *durable.Disk, string) {
			r, disk := newRoomOnDisk(t, files)
			return r, disk, contentOf(r)
		}
		r, disk, _ := start(t)
		steps := 0
		disk.Fail(func(durable.Op, string) error { steps++; return nil })
		r.remember("long", "x")
		for way, fault := range map[string]error{"fails": syscall.ENOSPC, "torn": durable.Torn{Half: true}} {
			failed := map[durable.Op]bool{}
			for at := 1; at <= steps; at++ {
				r, disk, before := start(t)
				n, what := 0, durable.Op("")
				disk.Fail(func(op durable.Op, _ string) error {
					if n++; n != at {
						return nil
					}
					what = op
					return fault
				})
				res := r.run("memory", "kind", "long", "text", "x")
				now := contentOf(r)
				failed[what] = failed[what] || res.Failed
				switch {
				case res.Failed && now != before:
					t.Errorf("%s: %s %s, and left %q, was %q: %s", name, what, way, now, before, res.Text)
				case !res.Failed && (!strings.HasPrefix(now, before) || !strings.HasSuffix(now, ": x\n")):
					t.Errorf("%s: %s %s, and it says %q of %q", name, what, way, res.Text, now)
				}
			}
			for _, op := range []durable.Op{durable.OpAppend, durable.OpSync} {
				if !failed[op] {
					t.Errorf("%s: a note does not fail when %s %s: %v", name, op, way, failed)
				}
			}
			if _, exists := files[memoryLong]; !exists && !failed[durable.OpCreate] {
				t.Errorf("%s: a note does not fail when its file cannot be made", name)
			}
		}
	}
}

// contentOf is what the long memory holds, "" where there is none.
func contentOf(r *room) string {
	data, err := os.ReadFile(filepath.Join(r.root, memoryLong))
	if err != nil {
		return ""
	}
	return "has " + string(data)
}
