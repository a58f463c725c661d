package workspace

import (
	"sync"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/tracks"
)

// watch follows what one command changes, and keeps what an undo needs of it.
type watch struct {
	v     *Vault
	files *tracks.Watch

	once  sync.Once // guards found
	found []tool.Change
}

// watchFiles begins to follow the files. nil follows nothing: without a home
// nothing can be kept.
func (v *Vault) watchFiles() *watch {
	if v.home == "" || v.disk.Frozen() || len(v.Roots()) == 0 {
		return nil
	}
	v.changing.Lock() // no call of ours changes something meanwhile
	w := &watch{v: v, files: v.tracks.Begin(v.followed())}
	v.changing.Unlock()
	w.files.Read()
	return w
}

// end stops following and says what changed, again and again the same. What other
// commands that run meanwhile see of it later is not theirs then.
func (w *watch) end() []tool.Change {
	if w == nil {
		return nil
	}
	w.once.Do(func() {
		w.files.StopReading()
		w.v.changing.Lock()
		defer w.v.changing.Unlock()
		w.found = w.changes(w.files.End(w.v.followed()))
	})
	return w.found
}
