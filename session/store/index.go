package store

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// index is what the lists of a workspace have seen, in one file, so that the first
// list of a process opens one file and not thousands. It is a cache of a cache:
// each entry counts only while its log is the one that was looked at, the file is
// replaced at once, the last writer wins, and whatever is wrong with it costs time
// and nothing else.
type index struct {
	Version int // of what an entry means
	Entries map[string]entry
}

type entry struct {
	Mark  history.Mark
	About history.About
	Usage []byte // as JSON: gob does not tell a nought behind a pointer from none
}

const (
	indexFile    = "index.gob"
	indexVersion = 3
	mostIndex    = 64 << 20 // bytes; a larger file is not ours
	// enoughNews is how many sessions are looked at anew before the file is
	// written again.
	enoughNews = 32
)

// readIndex takes in what earlier lists have seen, once.
func (l *listing) readIndex() {
	l.mu.Lock()
	known := l.indexed
	l.indexed = true
	l.mu.Unlock()
	if known {
		return
	}
	raw, err := durable.ReadFile(filepath.Join(l.dir, indexFile), mostIndex)
	if err != nil {
		return
	}
	var in index
	if gob.NewDecoder(bytes.NewReader(raw)).Decode(&in) != nil || in.Version != indexVersion {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, e := range in.Entries {
		if e.About.ID == id && json.Unmarshal(e.Usage, &e.About.Usage) == nil {
			l.looked[id] = looked{e.Mark, e.About}
		}
	}
}

// writeIndex keeps what this process has seen, if that is worth a file; names are
// the sessions that there are.
func (l *listing) writeIndex(names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.news < enoughNews {
		return
	}
	l.news = 0
	there := make(map[string]bool, len(names))
	for _, n := range names {
		there[n] = true
	}
	maps.DeleteFunc(l.looked, func(id string, _ looked) bool {
		root, _, _ := strings.Cut(id, ".")
		return !there[root]
	})
	out := index{indexVersion, make(map[string]entry, len(l.looked))}
	for id, l := range l.looked {
		usage, err := json.Marshal(l.about.Usage)
		if err != nil {
			return
		}
		l.about.Usage = history.Usage{}
		out.Entries[id] = entry{l.mark, l.about, usage}
	}
	var raw bytes.Buffer
	if err := gob.NewEncoder(&raw).Encode(out); err != nil {
		return
	}
	if err := l.deps.Disk.WriteCache(filepath.Join(l.dir, indexFile), raw.Bytes(), 0o600); err != nil {
		l.deps.Log.Debug().Err(err).Msg("the index of sessions")
	}
}
