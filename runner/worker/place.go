package worker

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// everything may be read: who asks has judged it.
func everything(string) bool { return true }

// consulted collects what a search asks its predicate about. The answers are the asker's,
// and none of them may keep the search from asking on.
type consulted struct {
	seen    map[string]bool
	objects []string
}

func (c *consulted) of(object string) bool {
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	if !c.seen[object] {
		c.seen[object] = true
		c.objects = append(c.objects, object)
	}
	return false
}

// resolve answers several questions about paths.
func (w *worker) resolve(_ context.Context, asked []seam.Question) ([]seam.Answer, error) {
	out := make([]seam.Answer, len(asked))
	for i, q := range asked {
		out[i] = w.answer(q)
	}
	return out, nil
}

func (w *worker) answer(q seam.Question) (a seam.Answer) {
	v := w.open()
	switch q.Ask {
	case "Walk":
		to := v.Walk(q.Dir, q.Word)
		a.Walk = &to
	case "Directory":
		a.Yes = v.Directory(q.Word)
	case "Ignored":
		a.Yes = v.Ignored(q.Word)
	case "Glob":
		a.Names, a.All = v.Glob(q.Dir, q.Word)
	case "Program":
		a.Text = v.Program(q.Word)
	case "Planted":
		a.Yes, a.All = v.Planted(q.Word)
	case "Read":
		a.Text, a.Yes, a.All = v.Read(q.Word)
	case "Names":
		a.Names = v.Names(q.Word)
	case "OwnProgram":
		a.Text = v.OwnProgram(q.Word)
	case "Repositories":
		a.Names = v.Repositories(q.Objects)
	case "Below":
		var c consulted
		_, a.All = v.Below(q.Dir, q.Word, q.Links, q.Ends, c.of)
		a.Names = c.objects
	case "Tracked":
		var c consulted
		_, a.All = v.Tracked(q.Dir, c.of)
		a.Names = c.objects
	case "ObjectsOf":
		a.Names = v.ObjectsOf(q.Objects)
	}
	return a
}

// look says how the workspace is.
func (w *worker) look(_ context.Context, p seam.ToSee) (seam.Seen, error) {
	v := w.open()
	s := seam.Seen{Branch: v.Branch(), Roots: v.Roots(), ReadOnly: v.ReadOnly()}
	if p.Room > 0 {
		s.Instructions = v.Instructions(p.Documents, p.Room)
	}
	if p.Memory {
		s.Memory = v.Memory(time.Now())
	}
	if p.Sandbox != nil {
		s.Sandbox = w.Confined(*p.Sandbox)
	}
	return s, nil
}

func (w *worker) folder(_ context.Context, name string) (string, error) { return w.open().Folder(name) }

func (w *worker) jobNews(_ context.Context, session string) ([]string, error) {
	return w.open().JobNews(session), nil
}

func (w *worker) jobStop(_ context.Context, p seam.JobOf) (bool, error) {
	return w.open().StopJob(p.Session, p.CallID), nil
}

// jobEnd ends the jobs of a session that closes, and forgets what was made for it.
func (w *worker) jobEnd(_ context.Context, session string) (bool, error) {
	w.open().EndJobs(session)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions, session)
	return true, nil
}

func (w *worker) compare(_ context.Context, was tool.Change) (seam.Compared, error) {
	now, differs := w.open().Compare(was)
	return seam.Compared{Now: now, Differs: differs}, nil
}

func (w *worker) text(_ context.Context, hash string) (out seam.KeptText, err error) {
	out.Text, out.IsText, out.Size, err = w.open().CheckpointText(hash)
	return out, err
}

func (w *worker) more(_ context.Context, checkpoint string) ([]tool.Change, error) {
	return w.open().MoreChanges(checkpoint)
}

func (w *worker) lost(_ context.Context, p seam.LostOf) (out seam.Changes, _ error) {
	defer w.alone(p.Line)()
	out.Changes, out.Known = w.open().LostChanges(p.Line, p.CallID)
	return out, nil
}

func (w *worker) since(ctx context.Context, at time.Time) (out seam.Unfollowed, _ error) {
	out.Count, out.First, out.All = w.open().Unfollowed(ctx, at)
	return out, nil
}

func (w *worker) started(_ context.Context, p seam.DiffOf) (string, error) {
	return w.open().StartedDiff(p.Object, p.Was), nil
}

// undo brings files back, and tells of each change as it is made.
func (w *worker) undo(ctx context.Context, p seam.ToUndo) (out seam.AllUndone, _ error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	w.runs[p.Key] = cancel
	w.mu.Unlock()
	defer w.cancel(p.Key)
	var err error
	out.Done, out.Conflicts, err = w.open().Undo(ctx, p.Changes, p.Merge, p.DryRun, func(c tool.Change) error {
		w.peer.Tell(seam.Undone, seam.OneUndone{Key: p.Key, Change: c})
		return nil
	})
	if err != nil {
		out.Error = err.Error()
	}
	return out, nil
}

// get is the content of a file that may be cited.
func (w *worker) get(_ context.Context, path string) (seam.File, error) {
	in, err := w.open().Cited(path, everything)
	if err != nil {
		return seam.File{}, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxCited+1))
	if err == nil && len(data) > maxCited {
		err = errors.New("the file is over 8 MiB")
	}
	return seam.File{Data: data}, err
}

// maxCited is the longest file that is sent to be cited.
const maxCited = 8 << 20

// spills are the artifacts that are being written, by their keys.
type spills map[string]*spill

type spill struct {
	tool.Spill
	session string
}

func (s spills) closeAll() {
	for _, key := range slices.Collect(maps.Keys(s)) {
		_, _, _ = s[key].Close() // nobody has been told of it
		delete(s, key)
	}
}

func (w *worker) create(_ context.Context, p seam.ToCreate) (bool, error) {
	into, err := w.open().Artifacts().Create(p.Session, p.Tool, p.CallID, p.MIME)
	if err != nil {
		return false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spills[p.Key] = &spill{into, p.Session}
	return true, nil
}

var errNoSpill = errors.New("no artifact of that name is being written")

func (w *worker) write(_ context.Context, p seam.ToWrite) (int, error) {
	w.mu.Lock()
	into := w.spills[p.Key]
	w.mu.Unlock()
	if into == nil {
		return 0, errNoSpill
	}
	return into.Write(p.Data)
}

func (w *worker) close(_ context.Context, key string) (out seam.Kept, err error) {
	w.mu.Lock()
	into := w.spills[key]
	delete(w.spills, key)
	w.mu.Unlock()
	if into == nil {
		return out, errNoSpill
	}
	out.Session = into.session
	out.Ref, out.Path, err = into.Close()
	return out, err
}

func (w *worker) find(_ context.Context, ref string) (out seam.Kept, err error) {
	out.Ref, out.Path, out.Session, err = w.open().Artifacts().Find(ref)
	return out, err
}

func (w *worker) list(_ context.Context, p seam.ToList) ([]tool.ArtifactRef, error) {
	if p.Named {
		return w.open().Artifacts().Named(p.Session, p.IDs), nil
	}
	return w.open().Artifacts().List(p.Session)
}

// bytes reads a part of an artifact, and of no other file.
func (w *worker) bytes(_ context.Context, p seam.Range) ([]byte, error) {
	_, path, _, err := w.open().Artifacts().Find(p.Path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := make([]byte, min(max(p.Size, 0), maxPiece))
	n, err := f.ReadAt(out, p.At)
	if err == io.EOF {
		err = nil
	}
	return out[:n], err
}

// maxPiece is the longest part of an artifact that is sent at once.
const maxPiece = 1 << 20

func (w *worker) remove(_ context.Context, session string) (bool, error) {
	return true, w.open().Artifacts().RemoveSession(session)
}

func (w *worker) copy(_ context.Context, p seam.ToCopy) (bool, error) {
	return true, w.open().Artifacts().Copy(p.From, p.To, p.Files)
}

func (w *worker) dirs(_ context.Context, session string) ([]string, error) {
	return w.open().Artifacts().ArtifactDirs(session), nil
}
