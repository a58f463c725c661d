package workspace

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

//go:embed memory_search.md
var memorySearchDoc string

// Bounds of a search in memory.
const (
	maxMemoryQuery = 1 << 10 // bytes
	mostDays       = 1000    // files, the newest
	mostEntries    = 20      // shown
	entryBytes     = 1 << 10 // of one that is shown
)

type memorySearchArgs struct {
	Query string `json:"query" jsonschema:"words to look for"`
}

// newMemorySearch is the tool that finds what earlier sessions have written down. It
// reads no file that its session may not read without a question: a group finds the
// notes of days, and long-term memory is not there for it.
func newMemorySearch(d *toolset) tool.Tool {
	spec := tool.Spec{Name: "memory_search", Description: memorySearchDoc, Effect: tool.Read, Tolerant: true}
	return tool.Define(spec, func(in memorySearchArgs) (*tool.Plan, error) {
		words := strings.Fields(strings.ToLower(in.Query))
		switch {
		case len(words) == 0:
			return nil, errors.New(`argument "query" is empty`)
		case len(in.Query) > maxMemoryQuery:
			return nil, fmt.Errorf(`argument "query" is over %d bytes`, maxMemoryQuery)
		}
		slices.Sort(words)
		p, err := d.memoryPath(memoryDays)
		if err != nil {
			return nil, err
		}
		return d.looking(p, "search memory for "+in.Query, func(ctx context.Context) (tool.Result, error) {
			return d.searchMemory(ctx, p, slices.Compact(words))
		}), nil
	})
}

func (d *toolset) searchMemory(ctx context.Context, days Path, words []string) (tool.Result, error) {
	names, err := dayNames(days)
	if err != nil {
		return tool.Failed(fmt.Errorf("%s: %w", days, err)), nil
	}
	closed := d.sensitive("")
	var found []memoryEntry
	for _, name := range append([]string{memoryLong}, names...) {
		if err := ctx.Err(); err != nil {
			return tool.Result{}, err
		}
		if closed("vault:/" + name) {
			continue
		}
		text, _, err := d.v.head(name, maxMemoryFile)
		if err != nil {
			continue // none, or a link
		}
		found = append(found, entriesWith(name, strings.ToValidUTF8(string(text), "\uFFFD"), words)...)
	}
	slices.SortStableFunc(found, func(a, b memoryEntry) int { return cmp.Compare(b.has, a.has) })
	return tool.Result{Text: shownEntries(found)}, nil
}

// dayNames are the notes of days in a directory, the newest first.
func dayNames(days Path) ([]string, error) {
	dir, err := days.openDir()
	if err != nil {
		if isMissing(err) {
			return nil, nil
		}
		return nil, openat.Plain(err)
	}
	defer dir.Close()
	f, err := dir.Open(".")
	if err != nil {
		return nil, openat.Plain(err)
	}
	defer f.Close()
	entries, err := f.ReadDir(lsMaxNames)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, openat.Plain(err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !memoryDay.MatchString(e.Name()) })
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(b.Name(), a.Name()) })
	var names []string
	for _, e := range entries[:min(len(entries), mostDays)] {
		names = append(names, memoryDays+"/"+e.Name())
	}
	return names, nil
}

// memoryEntry is one that has some of the words.
type memoryEntry struct {
	file string
	line int // from 1
	text string
	has  int // how many of the words
}

// entriesWith are those of a file, the newest first. An entry is a line and the
// indented ones behind it.
func entriesWith(file, text string, words []string) []memoryEntry {
	var all []memoryEntry
	for i, line := range strings.Split(text, "\n") {
		switch more := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"); {
		case strings.TrimSpace(line) == "":
		case more && len(all) > 0:
			all[len(all)-1].text += "\n" + line
		default:
			all = append(all, memoryEntry{file: file, line: i + 1, text: line})
		}
	}
	for i := range all {
		said := strings.ToLower(marked().ReplaceAllString(all[i].text, "$1: "))
		for _, w := range words {
			if strings.Contains(said, w) {
				all[i].has++
			}
		}
	}
	all = slices.DeleteFunc(all, func(e memoryEntry) bool { return e.has == 0 })
	slices.Reverse(all)
	return all
}

// shownEntries are the best ones, each with its place.
func shownEntries(found []memoryEntry) string {
	if len(found) == 0 {
		return "(no entry has any of these words)"
	}
	var b strings.Builder
	for _, e := range found[:min(len(found), mostEntries)] {
		text := e.text
		if len(text) > entryBytes {
			text = strings.ToValidUTF8(text[:entryBytes], "") + " …"
		}
		fmt.Fprintf(&b, "%s:%d\n  %s\n", e.file, e.line, strings.ReplaceAll(text, "\n", "\n  "))
	}
	if len(found) == 1 {
		b.WriteString("(1 entry)")
	} else if more := len(found) - mostEntries; more > 0 {
		fmt.Fprintf(&b, "(%d of %d entries; more words find fewer)", mostEntries, len(found))
	} else {
		fmt.Fprintf(&b, "(%d entries)", len(found))
	}
	return b.String()
}
