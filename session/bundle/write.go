package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Source is a session as it is on disk. It is only read: a run may be going on
// in it, in this process or in another.
type Source struct {
	ID        string
	Dir       string // its folder
	Program   string // the version of this program
	Artifacts []Artifact
}

// Artifact is one of the session's artifacts.
type Artifact struct {
	Ref  tool.ArtifactRef
	Path string // of its file
}

// Write writes the bundle of a session. hide is what it is not to tell; nil writes
// everything as it is.
func Write(w io.Writer, from Source, hide *Private) error {
	e := &export{Source: from, out: &counted{w: w, sum: sha256.New()}, refs: map[string]tool.ArtifactRef{}, renamed: map[string]string{}}
	if hide != nil {
		e.redact = newRedactor(*hide)
	}
	if err := e.survey(); err != nil {
		return err
	}
	e.take()
	return e.write()
}

// export is one bundle being written.
type export struct {
	Source
	out    *counted
	redact *redactor // nil: nothing is replaced

	logs    []logHead
	title   string
	named   map[string]bool // blobs and artifacts that the log names
	parts   []part
	left    []LeftOut
	refs    map[string]tool.ArtifactRef // of artifacts, as they are in the bundle
	renamed map[string]string           // blobs, by their name here
}

var hexName = lazy.Regexp(`[0-9a-f]{64}`)

// survey reads the logs once: that they can be read, how long they are now, and
// what they name.
func (e *export) survey() error {
	e.named = map[string]bool{}
	titles := history.NewTranscript()
	blobs := dirSet(filepath.Join(e.Dir, history.BlobFolder))
	for _, name := range append([]string{"root"}, childLogs(e.Dir)...) {
		count := 0
		err := e.each(name, -1, func(line []byte) error {
			count++
			event, err := history.Decode(line)
			if err != nil {
				return err
			}
			if name == "root" {
				e.foldTitle(titles, event, line)
			}
			e.missing(event)
			if line, err = e.withoutState(line); err != nil { // what only a provider's state names does not count
				return err
			}
			if len(blobs) > 0 {
				for _, hash := range hexName().FindAll(line, -1) {
					if blobs[string(hash)] {
						e.named[string(hash)] = true
					}
				}
			}
			for _, a := range e.Artifacts {
				if bytes.Contains(line, []byte(a.Ref.ArtifactID)) {
					e.named[a.Ref.ArtifactID] = true
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		e.logs = append(e.logs, logHead{name, count})
	}
	if e.logs[0].Events == 0 {
		return fmt.Errorf("session %s has no log", e.ID)
	}
	e.title = titles.Info.Title
	return nil
}

// foldTitle folds in what a title comes from, as the bundle tells it: one that was
// cut first and redacted then would keep the beginning of a secret.
func (e *export) foldTitle(titles *history.Transcript, event history.Event, line []byte) {
	switch event.Body.(type) {
	case history.Opened, history.Changed, history.RunStarted:
		if raw, err := eachString(line, e.redact.text); err == nil {
			if again, err := history.Decode(raw); err == nil {
				event = again
			}
		}
		event.Seq = titles.Seq + 1
		_ = titles.Apply(event) // only the title is wanted
	}
}

// missing notes an artifact that an event points to and that is no more.
func (e *export) missing(event history.Event) {
	for _, ref := range refsOf(event.Body) {
		there := slices.ContainsFunc(e.Artifacts, func(a Artifact) bool { return a.Ref.ArtifactID == ref.ArtifactID })
		if !there {
			e.leave(LeftOut{"artifact", ref.ArtifactID, ref.Bytes, "it has expired"})
		}
	}
}

func (e *export) leave(l LeftOut) {
	if !slices.ContainsFunc(e.left, func(o LeftOut) bool { return o.Kind == l.Kind && o.Name == l.Name }) {
		e.left = append(e.left, l)
	}
}

// write writes everything, the logs from disk line by line.
func (e *export) write() error {
	head := Header{Bundle: formatName, Version: Version, Program: e.Program, Session: e.ID, Title: e.title, Redacted: e.redact != nil, Note: noteWhole}
	if head.Redacted {
		head.Note = noteRedacted
	}
	e.out.json(head)
	for _, log := range e.logs {
		e.out.json(log)
		if err := e.each(log.Log, log.Events, e.line); err != nil {
			return err
		}
	}
	for _, p := range e.parts {
		e.out.json(p.head)
		for rest := p.data; len(rest) > 0; {
			n := pieceEnd(rest, p.head.Encoding)
			data := string(rest[:n])
			if p.head.Encoding == "base64" {
				data = base64.StdEncoding.EncodeToString(rest[:n])
			}
			e.out.json(piece{data})
			rest = rest[n:]
		}
	}
	for _, l := range e.left {
		e.out.json(l)
	}
	e.out.json(end{true, e.out.lines, hex.EncodeToString(e.out.sum.Sum(nil))})
	return e.out.err
}

// line writes one line of a log, which survey has read.
func (e *export) line(raw []byte) error {
	raw, err := e.withoutState(raw)
	if err == nil && e.redact != nil {
		raw, err = eachString(raw, func(s string) string {
			if now, ok := e.renamed[s]; ok {
				return now
			}
			return e.redact.text(s)
		})
	}
	if err != nil {
		return err
	}
	e.out.raw(raw)
	return e.out.err
}

// withoutState drops what a provider wants back and nobody can read, and says of
// artifacts what they are in the bundle.
func (e *export) withoutState(raw []byte) ([]byte, error) {
	has := func(member string) bool { return bytes.Contains(raw, []byte(member)) }
	if e.redact == nil || !has(`"opaque"`) && !has(`"extra"`) && !has(`"artifact"`) && !has(`"artifacts"`) {
		return raw, nil
	}
	event, err := history.Decode(raw)
	if err != nil {
		return nil, err
	}
	switch b := event.Body.(type) {
	case history.AssistantMessage:
		b.Opaque = nil
		b.Calls = slices.Clone(b.Calls)
		for i := range b.Calls {
			b.Calls[i].Extra = nil
		}
		b.Artifact = e.measured(b.Artifact)
		event.Body = b
	case history.ToolReturned:
		b.Artifact = e.measured(b.Artifact)
		event.Body = b
	case history.ContextPruned:
		b.Artifacts = maps.Clone(b.Artifacts)
		for call, ref := range b.Artifacts {
			b.Artifacts[call] = *e.measured(&ref)
		}
		event.Body = b
	default:
		return raw, nil
	}
	return event.Encode()
}

func (e *export) measured(ref *tool.ArtifactRef) *tool.ArtifactRef {
	if ref == nil {
		return nil
	}
	now, ok := e.refs[ref.ArtifactID]
	if !ok {
		return ref
	}
	out := *ref
	out.Bytes, out.Lines, out.SHA256 = now.Bytes, now.Lines, now.SHA256
	return &out
}

// refsOf are the artifacts that an event says are kept.
func refsOf(body history.Body) []tool.ArtifactRef {
	var ref *tool.ArtifactRef
	switch b := body.(type) {
	case history.AssistantMessage:
		ref = b.Artifact
	case history.ToolReturned:
		ref = b.Artifact
	case history.ContextPruned:
		var refs []tool.ArtifactRef
		for _, call := range slices.Sorted(maps.Keys(b.Artifacts)) {
			refs = append(refs, b.Artifacts[call])
		}
		return refs
	}
	if ref == nil {
		return nil
	}
	return []tool.ArtifactRef{*ref}
}

// each reads a log's whole lines, at most count of them, -1 for all; a torn last
// line is not there yet.
func (e *export) each(name string, count int, each func([]byte) error) error {
	dir := e.Dir
	if n, ok := strings.CutPrefix(name, "sub/"); ok {
		dir = filepath.Join(e.Dir, history.ChildFolder, n) // n is a number that childLogs made
	}
	path := filepath.Join(dir, history.LogFile)
	number := 0
	var failed error
	_, err := durable.ReadFrom(path, 0, func(line []byte, _ int64) bool {
		if number == count {
			return false
		}
		number++
		if failed = each(line); failed != nil {
			failed = fmt.Errorf("%s: line %d: %w", path, number, failed)
		}
		return failed == nil
	})
	return errors.Join(failed, err)
}

// childLogs names the logs of sub-agents, in order.
func childLogs(dir string) []string {
	var numbers []int
	for name := range dirSet(filepath.Join(dir, history.ChildFolder)) {
		if n, err := strconv.Atoi(name); err == nil && n > 0 && n <= maxChildren && strconv.Itoa(n) == name && history.Exists(filepath.Join(dir, history.ChildFolder, name)) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	var out []string
	for _, n := range numbers {
		out = append(out, "sub/"+strconv.Itoa(n))
	}
	return out
}

// dirSet are the names in a folder; none where it cannot be read.
func dirSet(dir string) map[string]bool {
	entries, _ := os.ReadDir(dir) // what cannot be read is not there
	out := map[string]bool{}
	for _, entry := range entries {
		out[entry.Name()] = true
	}
	return out
}

// counted writes lines, counts and sums them; after an error it writes no more.
type counted struct {
	w     io.Writer
	sum   hash.Hash
	lines int
	bytes int
	err   error
}

func (c *counted) json(v any) {
	raw, err := history.Marshal(v)
	if c.err == nil {
		c.err = err
	}
	c.raw(raw)
}

func (c *counted) raw(line []byte) {
	if c.err != nil {
		return
	}
	whole := append(slices.Clone(line), '\n')
	if c.bytes += len(whole); c.bytes > maxFile {
		c.err = fmt.Errorf("the bundle is over %d MiB, and could not be read again", maxFile>>20)
		return
	}
	_, c.err = c.w.Write(whole)
	c.sum.Write(whole)
	c.lines++
}
