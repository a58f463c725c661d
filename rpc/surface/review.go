package surface

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// reviewText is the whole of a question, as a person reads it before a yes. What
// comes from a model, a file or a client is in it so that it can neither hide
// nor pass for a line of ours.
func (q *PendingApproval) reviewText() string {
	a := q.Approval
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# %s\n# risk: %s\n", control.Title(a.Title.String(), 0), control.Title(a.Reason.String(), 0), a.Risk)
	if len(a.AgentPath) > 0 {
		fmt.Fprintf(&b, "# asked by: %s\n", control.Title(strings.Join(a.AgentPath, "/"), 0))
	}
	for _, t := range a.Targets {
		fmt.Fprintf(&b, "# target: %s\n", control.Title(t, 0))
	}
	for _, o := range a.Always {
		where := ""
		if o.Workspace != "" {
			where = " (in this workspace)"
		}
		fmt.Fprintf(&b, "# `always` would store: %s%s\n", control.Title(o.Pattern, 0), where)
	}
	b.WriteByte('\n')
	switch {
	case a.Preview != nil:
		b.WriteString(q.wholePreview())
	default:
		b.WriteString(control.Lines(indentedJSON(a.Input)))
	}
	if !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	return b.String()
}

// MostReview is how much of a review is in an answer, in bytes: a frame of ours
// has at most 1 MiB, and escaping can take half of that.
const MostReview = 256 << 10

// ReviewWithin is the review for an answer. One that is too long is cut, names
// the file that has all of it, and does not count as seen.
func (q *PendingApproval) ReviewWithin(most int, uri string) (words string, whole bool) {
	words = q.reviewText()
	if len(words) <= most {
		return words, true
	}
	return wire.CutText(words, most) + "\n… this is not all of it: " + uri + "\n", false
}

func indentedJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// wholePreview is a preview with what did not fit into its event.
func (q *PendingApproval) wholePreview() string {
	<-q.ready // the session asks right after it has told
	if q.full != "" {
		return q.full
	}
	return q.Preview.Text
}

// reviews keeps the texts of questions in files, which an editor can open.
type reviews struct {
	*Screen
	approvals *Approvals

	mu  sync.Mutex // guards everything below
	dir string     // of questions without a session, "" until there is one
}

// write puts the review beside the session's log, or that of a question
// without a session into a directory of this connection.
func (r *reviews) write(q *PendingApproval) (path string, err error) {
	dir := ""
	if q.SessionID != "" {
		of, err := r.sessions.Get(q.SessionID)
		if err != nil {
			return "", err
		}
		dir = filepath.Join(of.Dir(), "reviews")
	} else if dir, err = r.directory(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path = filepath.Join(dir, q.ApprovalID+".diff")
	r.approvals.kept(q, path)
	return path, os.WriteFile(path, []byte(q.reviewText()), 0o600)
}

// directory is made when it is needed and removed with the connection.
func (r *reviews) directory() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == "" {
		dir, err := os.MkdirTemp("", "agent-sidecar-review-*")
		if err != nil {
			return "", err
		}
		r.dir = dir
	}
	return r.dir, nil
}

// close removes what was kept for this connection alone.
func (r *reviews) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dir == "" {
		return
	}
	if err := os.RemoveAll(r.dir); err != nil {
		r.Report("remove reviews", err)
	}
}
