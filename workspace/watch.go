package workspace

import (
	"sync"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
)

// watch follows what one command changes, and keeps what an undo needs of it.
type watch struct {
	v     *Vault
	files *changes.Watch

	once     sync.Once // guards the rest
	found    []tool.Change
	touched  map[string]bool // absolute paths of all files and links that are not as they were; false: perhaps
	together string          // what is to be said of other commands that ran meanwhile
	many     string          // what is to be said of more changes than are named; ""
}

// callOf names the call that a sink belongs to; nil belongs to none.
func callOf(sink tool.Sink) changes.Call {
	if sink == nil {
		return changes.Call{}
	}
	return changes.Call{Line: sink.Line(), ID: sink.CallID()}
}

// watchFiles begins to follow the files for a call. nil follows nothing: without a home
// nothing can be kept.
func (v *Vault) watchFiles(call changes.Call) *watch {
	if v.home == "" || v.disk.Frozen() || len(v.Roots()) == 0 {
		return nil
	}
	v.changing.Lock() // no call of ours changes something meanwhile
	v.openSpool()
	w := &watch{v: v, files: v.tracker.Begin(call, v.followed())}
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
		found := w.files.End(w.v.followed())
		w.touched = map[string]bool{}
		for _, d := range found.Files {
			w.touched[d.Path] = d.Sure()
		}
		w.found = w.changes(found)
		w.together = w.besides(found)
	})
	return w.found
}

// runsOn is end where the command goes on, followed by nobody.
func (w *watch) runsOn() []tool.Change {
	if w != nil {
		w.files.RunsOn()
	}
	return w.end()
}

// over is end where the command has ended.
func (w *watch) over() []tool.Change {
	found := w.end()
	if w != nil {
		w.files.Over()
	}
	return found
}

// tracked is what is followed, nil when nothing is.
func (w *watch) tracked() *changes.Watch {
	if w == nil {
		return nil
	}
	return w.files
}
