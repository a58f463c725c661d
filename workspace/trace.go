package workspace

import "time"

// formatTime is how long after our own edit a change of the editor's that comes
// with a save counts as part of that edit: formatting on save.
const formatTime = 2 * time.Second

// mostTraces bounds of how many files is known what we left there.
const mostTraces = 512

// trace is what our last change left in a file, and what became of it while the
// editor saved: formatted, with a line end at its end, in its own encoding. Who
// compares contents by their hashes asks asLeft, so that what the editor added is
// no change that somebody else made. nil is a trace of nothing.
type trace struct {
	hash  string    // of the content as we left it
	bare  string    // hash of its bare text
	at    time.Time // of our change
	shown bool      // the editor has shown it since
	same  string    // hash of a content that counts as the same; "" is none
}

// sees is told of every text that the editor shows of the file.
func (t *trace) sees(text string) {
	if t != nil && !t.shown {
		t.shown = hashOf([]byte(bareText(text))) == t.bare
	}
}

// counts says whether a save of the bare text counts as part of our change: it is
// that change, or the change was shown and the save is its formatting. Where the
// editor never showed it, somebody saves an older text over it.
func (t *trace) counts(bare string) bool {
	return t != nil && (hashOf([]byte(bare)) == t.bare || t.shown && time.Since(t.at) <= formatTime)
}

// leave remembers what we left in a file. The overlay's lock is held.
func (o *overlay) leave(key, hash, bare string, shown bool) *trace {
	if o.left == nil {
		o.left = map[string]*trace{}
	}
	t := &trace{hash: hash, bare: hashOf([]byte(bare)), at: time.Now(), shown: shown}
	o.left[key] = t
	if len(o.left) > mostTraces {
		oldest := key
		for k, other := range o.left {
			if other.at.Before(o.left[oldest].at) {
				oldest = k
			}
		}
		delete(o.left, oldest)
	}
	return t
}

// savedOver looks at what a save of ours and the editor's has made of a file.
func (v *Vault) savedOver(uri, text string) {
	p, ok := v.document(uri)
	if !ok {
		return
	}
	now, err := p.snapshot()
	if err != nil || !now.exists {
		return
	}
	doc, err := decodeDoc(now.data)
	if err != nil || bareText(doc.text) != text {
		return // not what the editor shows: somebody else wrote
	}
	o := &v.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	if t := o.left[p.key()]; t.counts(text) {
		t.same = now.hash
	}
}

// asLeft says whether a file whose content has the hash now is still what was left
// there with the hash left: the same, or what the editor made of our own change
// while saving.
func (v *Vault) asLeft(p Path, left, now string) bool {
	if left == now {
		return true
	}
	o := &v.buffers
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.left[p.key()]
	return t != nil && t.hash == left && t.same == now && now != ""
}
