package workspace

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// A command may leave something in the workspace that does more than a file when somebody
// comes across it: a link by which an edit reaches another place, a program that runs with
// the rights of its owner, something that blocks who reads it. All of it is told; the bits
// that lend rights are taken away.

// remains looks at what came, and at the files that are not as they were, takes the bits
// away and says for the model what it has found, "" when that is nothing. The command is
// over. What somebody else has put there meanwhile is theirs.
func (b *sandboxRun) remains() (note string) {
	if b.is.Level == proc.None || b.watch == nil {
		return ""
	}
	sure := maps.Clone(b.watch.touched)
	for _, abs := range b.snapshot.Came {
		sure[abs] = true
	}
	var left, cleared, failed []string
	for _, abs := range slices.Sorted(maps.Keys(sure)) {
		p := b.by.asSeen(abs)
		if p.root == nil || p.rel == "." || b.snapshot.ChangedByOthers(abs) || pathname.Inside(b.by.artifactDir+"/undone", p.rel) {
			continue // what was undone is told already
		}
		info, err := p.root.Dir.Lstat(p.rel)
		if err != nil {
			continue // it is gone, or was taken away
		}
		if more := b.by.moreThanAFile(abs, info); more == "" || info.Mode()&fs.ModeSymlink != 0 && !sure[abs] {
			continue
		} else if !info.Mode().IsRegular() {
			left = append(left, p.Display()+" ("+more+")")
		} else if err := p.takeRights(); err != nil {
			failed = append(failed, p.Display()+" ("+err.Error()+")")
		} else {
			cleared = append(cleared, p.Display())
		}
	}
	for _, one := range []struct {
		names  []string
		format string
	}{
		{left, "(the command left in the workspace: %s)"},
		{cleared, "(the sandbox removed the setuid and setgid bits from: %s)"},
		{failed, "(setuid and setgid bits could not be removed from: %s)"},
	} {
		if len(one.names) > 0 {
			note = output.JoinNotes(note, fmt.Sprintf(one.format, listed(one.names)))
		}
	}
	return note
}

// moreThanAFile says what something is that does more than a file when somebody comes across
// it; "" for a plain file, a directory, and a link that stays in the folders.
func (w *places) moreThanAFile(abs string, info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		if to, out := leadsOut(abs, w.Roots()); out {
			return "a link to " + to
		}
	case mode.IsRegular() && mode&shields.LendsRights != 0:
		return "setuid or setgid"
	case !mode.IsRegular() && !mode.IsDir():
		return openat.KindOf(info)
	}
	return ""
}

// leadsOut says whether the link at an absolute path leads out of the folders, be it only
// on its way, and where to. One that leads nowhere known does.
func leadsOut(abs string, roots []string) (to string, out bool) {
	end, err := walk.To(abs, true)
	if err != nil {
		return "nowhere: " + err.Error(), true
	}
	if end.Unknown != "" {
		return end.Abs + ": " + end.Unknown, true
	}
	for _, place := range slices.Concat([]string{end.Abs}, end.Forms, end.Left) {
		if !slices.ContainsFunc(roots, func(root string) bool { return pathname.Inside(root, strings.TrimSuffix(place, "/")) }) {
			return place, true
		}
	}
	return "", false
}

// takeRights takes the bits that lend rights away from the file p, without following a
// link.
func (p Path) takeRights() error {
	dir, base, err := p.parent()
	if err != nil {
		return err
	}
	defer dir.Close()
	return openat.Plain(p.disk.Do(durable.OpWrite, p.abs, func() error { return takeRights(dir, base) }))
}
