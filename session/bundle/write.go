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
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Source is a session as it stands on disk. It is only read: a run may be going on
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
	refs    map[string]tool.ArtifactRef // of artifacts, as they stand in the bundle
	renamed map[string]string           // blobs, by their name here
}

// part is a blob or an artifact with what it holds now.
type part struct {
	head partHead
	data []byte
}

var hexName = regexp.MustCompile(`[0-9a-f]{64}`)

// survey reads the logs once: how long they are now, and what they name.
func (e *export) survey() error {
	e.named = map[string]bool{}
	t := history.NewTranscript()
	blobs := dirSet(filepath.Join(e.Dir, "blobs"))
	for _, name := range append([]string{"root"}, childLogs(e.Dir)...) {
		count := 0
		err := e.each(name, -1, func(line []byte) error {
			count++
			if e.redact != nil { // what is only a provider's state does not count
				var err error
				if line, err = e.withoutState(line); err != nil {
					return err
				}
			}
			if name == "root" {
				e.foldTitle(t, line)
			}
			for _, hash := range hexName.FindAll(line, -1) {
				if e.named[string(hash)] = true; !blobs[string(hash)] {
					delete(e.named, string(hash))
				}
			}
			for _, a := range e.Artifacts {
				if bytes.Contains(line, []byte(a.Ref.ArtifactID)) {
					e.named[a.Ref.ArtifactID] = true
				}
			}
			e.missing(line)
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
	e.title = t.Info.Title
	return nil
}

// foldTitle folds in what a title comes from, as the bundle tells it: one that was
// cut first and redacted then would keep the beginning of a secret.
func (e *export) foldTitle(t *history.Transcript, line []byte) {
	event, err := history.Decode(line)
	if err != nil {
		return
	}
	switch event.Body.(type) {
	case history.Opened, history.Changed, history.RunStarted:
		if raw, err := eachString(line, e.redact.text); err == nil {
			if again, err := history.Decode(raw); err == nil {
				event = again
			}
		}
		event.Seq = t.Seq + 1
		_ = t.Apply(event) // only the title is wanted
	}
}

// missing notes an artifact that a line points to and that is no more.
func (e *export) missing(line []byte) {
	if !bytes.Contains(line, []byte(`"artifactId"`)) {
		return
	}
	event, err := history.Decode(line)
	if err != nil {
		return
	}
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

// take reads the blobs and artifacts that are named, those of the log's own first.
func (e *export) take() {
	room := int64(maxParts)
	load := func(kind, name, path string, size int64) []byte {
		switch {
		case size > maxPart:
			e.leave(LeftOut{kind, name, size, fmt.Sprintf("it is over %d MiB", maxPart>>20)})
			return nil
		case size > room:
			e.leave(LeftOut{kind, name, size, fmt.Sprintf("all of them are over %d MiB", maxParts>>20)})
			return nil
		}
		data, err := readPart(path)
		if err != nil {
			e.leave(LeftOut{kind, name, size, "it cannot be read"})
			return nil
		}
		room -= int64(len(data))
		return data
	}
	names := []string{}
	for name := range e.named {
		if len(name) == 64 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		path := filepath.Join(e.Dir, "blobs", name)
		info, err := os.Lstat(path)
		if err != nil {
			continue
		}
		if data := load("blob", name, path, info.Size()); data != nil {
			if data = e.hidden("blob", name, data); data == nil {
				continue
			}
			e.renamed[name] = hashOf(data)
			e.parts = append(e.parts, part{partHead{Blob: e.renamed[name], Bytes: len(data), Encoding: encodingOf(data)}, data})
		}
	}
	for _, a := range e.Artifacts {
		if !e.named[a.Ref.ArtifactID] {
			continue
		}
		if data := load("artifact", a.Ref.ArtifactID, a.Path, a.Ref.Bytes); data != nil {
			// Its folder is in the workspace: another file may stand in its place.
			if hashOf(data) != a.Ref.SHA256 {
				e.leave(LeftOut{"artifact", a.Ref.ArtifactID, a.Ref.Bytes, "it was changed since it was written"})
				continue
			}
			if data = e.hidden("artifact", a.Ref.ArtifactID, data); data == nil {
				continue
			}
			head := partHead{Artifact: a.Ref.ArtifactID, MIMEType: a.Ref.MIMEType, Bytes: len(data), SHA256: hashOf(data), Encoding: encodingOf(data)}
			e.parts = append(e.parts, part{head, data})
			e.refs[a.Ref.ArtifactID] = tool.ArtifactRef{Bytes: int64(len(data)), Lines: lineCount(data), SHA256: head.SHA256}
		}
	}
}

// hidden is a part without what is private. Bytes that are no text cannot be
// redacted: they stay unless a secret that is known stands in them.
func (e *export) hidden(kind, name string, data []byte) []byte {
	if e.redact == nil {
		return data
	}
	if utf8.Valid(data) {
		return []byte(e.redact.text(string(data)))
	}
	for _, l := range e.redact.literals {
		if l.secret != "" && !l.word && bytes.Contains(data, []byte(l.text)) {
			e.leave(LeftOut{kind, name, int64(len(data)), "it is no text, and a key stands in it"})
			return nil
		}
	}
	return data
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

// line writes one line of a log.
func (e *export) line(raw []byte) error {
	if e.redact == nil {
		_, err := history.Decode(raw) // what cannot be read again is not passed on
		e.out.raw(raw)
		return errors.Join(err, e.out.err)
	}
	raw, err := e.withoutState(raw)
	if err == nil {
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
		dir = filepath.Join(e.Dir, "sub", n) // n is a number that childLogs made
	}
	path := filepath.Join(dir, "events.jsonl")
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
	for name := range dirSet(filepath.Join(dir, "sub")) {
		if n, err := strconv.Atoi(name); err == nil && n > 0 && n <= maxChildren && strconv.Itoa(n) == name && history.Exists(filepath.Join(dir, "sub", name)) {
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

// readPart reads a regular file of at most maxPart.
func readPart(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("not a file"))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxPart+1))
	if err == nil && len(data) > maxPart {
		err = errors.New("it has grown")
	}
	if data == nil {
		data = []byte{}
	}
	return data, err
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func encodingOf(data []byte) string {
	if utf8.Valid(data) {
		return "utf8"
	}
	return "base64"
}

// pieceEnd is where the next piece ends: behind a line where that is near, so that
// a change of one line changes one piece.
func pieceEnd(data []byte, encoding string) int {
	if len(data) <= maxPiece {
		return len(data)
	}
	n := maxPiece
	if encoding != "utf8" {
		return n
	}
	if i := bytes.LastIndexByte(data[:n], '\n'); i > n/2 {
		return i + 1
	}
	for !utf8.RuneStart(data[n]) {
		n--
	}
	return n
}

func lineCount(data []byte) int64 {
	n := int64(bytes.Count(data, []byte{'\n'}))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// counted writes lines, counts and sums them; after an error it writes no more.
type counted struct {
	w     io.Writer
	sum   hash.Hash
	lines int
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
	_, c.err = c.w.Write(whole)
	c.sum.Write(whole)
	c.lines++
}
