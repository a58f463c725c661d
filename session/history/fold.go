package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// A fold is what follows from the beginning of a log, in a file beside it, so that a log of
// gigabytes is opened without decoding it again. It is a cache. docs/design/log.md says what
// it is trusted with, and why.
const foldFile = "events.fold"

// foldVersion rises with every change of what a fold says, and of what follows from an event.
const foldVersion = 5

// How often a fold is written, in bytes of the log: as soon as there are so many more, and
// that is so great a part of it. What is not folded is replayed.
const (
	foldEvery = 4 << 20
	foldPart  = 32
)

// mostFold bounds the file, in bytes; beside that it is no longer than a quarter of what it
// stands for.
const mostFold = 64 << 20

// folded is the transcript up to the end of the last piece, without what rules say
// (saysRules) and without what was said in messages: these are read from the log.
type folded struct {
	Program string  `json:"program"`
	Pieces  []piece `json:"pieces"`

	Seq             int64          `json:"seq"`
	Updated         int64          `json:"updated"`
	Title           string         `json:"title"`
	CompactionCount int            `json:"compactionCount"`
	Usage           Usage          `json:"usage"`
	Heard           Heard          `json:"heard"`
	Acks            map[string]Ack `json:"acks"`
	Plan            []PlanItem     `json:"plan"`
	Turns           int            `json:"turns"`
	Undos           int            `json:"undos"`
	Watched         tool.Mode      `json:"watched"`

	Shown Shown        `json:"shown"`
	Items []foldedItem `json:"items"`
	Calls CallsSoFar   `json:"calls"`
	Runs  Runs         `json:"runs"`
	Spent Spent        `json:"spent"`
	Inner foldedInner  `json:"inner"`
}

// foldedInner is what nobody outside of a transcript knows.
type foldedInner struct {
	Held      []foldedItem      `json:"held"`
	Told      map[string]string `json:"told"`
	Requested map[string]bool   `json:"requested"`
	Lost      []string          `json:"lost"`
	LastBy    string            `json:"lastBy"`
	RunSeq    int64             `json:"runSeq"`
	RunModel  *string           `json:"runModel"`
	Since     int               `json:"since"`
}

// foldedItem says which line an item is.
type foldedItem struct {
	Seq      int64             `json:"seq"`
	Turn     int               `json:"turn"`
	Pruned   bool              `json:"pruned,omitempty"`
	Artifact *tool.ArtifactRef `json:"artifact,omitempty"` // of one that is pruned, or cut anew
	Text     *string           `json:"text,omitempty"`     // of one that is cut anew
}

// program is which program's folds are taken: from an event may follow something else in the
// next one.
var program = sync.OnceValue(func() string {
	name := strconv.Itoa(foldVersion)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if strings.HasPrefix(s.Key, "vcs.") {
				name += " " + s.Value
			}
		}
	}
	return name
})

// foldOf is the fold of a transcript, which is that of pieces.
func foldOf(t *Transcript, pieces []piece) folded {
	f := folded{
		Program: program(), Pieces: pieces, Seq: t.Seq, Updated: t.updated, Title: t.Info.Title, CompactionCount: t.Info.CompactionCount, Usage: t.Info.Usage,
		Heard: t.Heard, Acks: t.Acks, Plan: t.Plan, Turns: t.Turns, Undos: t.Undos, Watched: t.Watched,
		Shown: t.Shown, Items: foldedItems(t.Items), Calls: t.CallsSoFar, Runs: t.Runs, Spent: t.Spent,
		Inner: foldedInner{Held: foldedItems(t.held), Told: t.told, Requested: t.requested, Lost: t.lost, LastBy: t.lastBy, Since: t.since},
	}
	if t.Run != nil {
		f.Inner.RunSeq = t.Run.seq
		f.Inner.RunModel = t.Run.chosen
	}
	return f
}

func foldedItems(items []Item) []foldedItem {
	if items == nil {
		return nil
	}
	out := make([]foldedItem, len(items))
	for i, it := range items {
		out[i] = foldedItem{Seq: it.Seq, Turn: it.turn, Pruned: it.Pruned}
		if it.Pruned || it.Cut {
			out[i].Artifact = it.Result.Artifact
		}
		if it.Cut {
			out[i].Text = &it.Result.Text
		}
	}
	return out
}

// onto makes t, to which the rules have been applied, what f says; said are the events that
// items are made of. It says no where f cannot be the fold of any log.
func (f folded) onto(t *Transcript, said map[int64]Event) bool {
	items, ok := itemsOf(f.Items, said)
	held, heldOK := itemsOf(f.Inner.Held, said)
	if !ok || !heldOK || f.Acks == nil || f.Inner.Requested == nil || f.Inner.Since < 0 || f.Inner.Since > len(items) {
		return false
	}
	pending := t.Pending
	t.Seq = f.Seq
	t.updated = f.Updated
	t.Info.Title = f.Title
	t.Info.CompactionCount = f.CompactionCount
	t.Info.Usage = f.Usage
	t.Heard = f.Heard
	t.Acks = f.Acks
	t.Plan = f.Plan
	t.Turns = f.Turns
	t.Undos, t.Watched = f.Undos, f.Watched
	t.Shown = f.Shown
	t.Items = items
	t.held = held
	t.told = f.Inner.Told
	t.CallsSoFar = f.Calls
	t.Pending = pending
	t.requested = f.Inner.Requested
	t.lost = f.Inner.Lost
	t.Runs = f.Runs
	t.lastBy = f.Inner.LastBy
	t.Spent = f.Spent
	t.since = f.Inner.Since
	if t.Run != nil {
		t.Run.seq = f.Inner.RunSeq
		t.Run.chosen = f.Inner.RunModel
	}
	return true
}

func itemsOf(folded []foldedItem, said map[int64]Event) (items []Item, ok bool) {
	if folded == nil {
		return nil, true
	}
	items = make([]Item, len(folded))
	for i, f := range folded {
		items[i] = itemOf(said[f.Seq])
		if items[i].Seq == 0 || (f.Pruned || f.Text != nil) && items[i].Result == nil {
			return nil, false
		}
		items[i].turn = f.Turn
		switch {
		case f.Pruned:
			items[i].prune(f.Artifact)
		case f.Text != nil:
			items[i].cut(*f.Text, f.Artifact)
		}
	}
	return items, true
}

// Keep writes the fold of the log beside it where that is due; t is its transcript. An
// error costs only time.
func (l *Log) Keep(t *Transcript) error {
	if t.Seq != l.lines.count || l.seal.broken || l.end-l.kept < max(l.every, l.end/foldPart) {
		return nil
	}
	l.kept = l.end // whatever becomes of it: it is not tried at each line
	body, err := foldOf(t, l.seal.cut()).encode(t.CallIDs)
	if err != nil || int64(len(body)) > min(l.end/4, mostFold) {
		return err
	}
	return l.disk.WriteCache(l.foldPath(), body, 0o600)
}

// encode gives what is in the file: the sum of the rest, a line of JSON, and the ids of the
// calls, which are most of it.
func (f folded) encode(calls CallIDs) ([]byte, error) {
	line, err := Marshal(f)
	rest := append(append(line, '\n'), calls.packed()...)
	return append(sumOf(rest), rest...), err
}

func (l *Log) foldPath() string { return filepath.Join(filepath.Dir(l.path), foldFile) }

// sumOf is the line in front of a fold: what is torn has another one.
func sumOf(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append([]byte(hex.EncodeToString(sum[:])), '\n')
}

// readFold is the fold beside the log; ok is false where there is none that this program
// can take.
func (l *Log) readFold() (f folded, ok bool) {
	file, err := durable.Open(l.foldPath())
	if err != nil {
		return f, false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() > mostFold+1<<10 {
		return f, false
	}
	raw := make([]byte, info.Size())
	if _, err := io.ReadFull(file, raw); err != nil {
		return f, false
	}
	sum, rest, _ := bytes.Cut(raw, newline)
	if !bytes.Equal(append(sum, '\n'), sumOf(rest)) {
		return f, false
	}
	line, calls, _ := bytes.Cut(rest, newline)
	err = jsonv2.Unmarshal(line, &f, lenient)
	f.Calls.CallIDs = unpacked(calls)
	return f, err == nil && f.Program == program() && len(f.Pieces) > 0
}

// unfold is the transcript of the beginning of a log of so many bytes, up to where its fold
// was written; nil where there is no fold, or the log is not that one.
func (l *Log) unfold(size int64) *Transcript {
	f, ok := l.readFold()
	if !ok || endOf(f.Pieces) > size {
		return nil
	}
	is, ok := l.check(f.Pieces)
	if !ok || is.lines.count != f.Seq {
		return nil
	}
	t := NewTranscript()
	for _, e := range is.rules {
		t.Seq = e.Seq - 1 // the others are folded
		if t.Apply(e) != nil {
			return nil
		}
	}
	end := endOf(f.Pieces)
	known := Log{path: l.path, lines: is.lines, end: end}
	said, err := known.saidIn(f.Items, f.Inner.Held)
	if err != nil || !f.onto(t, said) {
		return nil
	}
	l.lines = is.lines
	l.end = end
	l.kept = end
	l.seal = seal{pieces: f.Pieces, begun: sha256.New(), end: end}
	return t
}

// saidIn are the events of the items, by seq.
func (l *Log) saidIn(items ...[]foldedItem) (map[int64]Event, error) {
	said := map[int64]Event{}
	first := l.lines.count + 1
	for _, some := range items {
		for _, it := range some {
			said[it.Seq] = Event{}
			first = min(first, it.Seq)
		}
	}
	err := l.eachLine(first, func(number int64, line []byte, _ int64) (err error) {
		if _, is := said[number]; is && number <= l.lines.count {
			said[number], err = Decode(line)
		}
		if number >= l.lines.count && err == nil {
			err = ErrStop
		}
		return err
	})
	return said, err
}
