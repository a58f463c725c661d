package bundle

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Target is the session that a bundle becomes: a new one, in a folder of its own.
type Target struct {
	Disk         *durable.Disk
	ID           string
	Dir          string // its folder, empty
	Key          string // canonical
	Group        bool   // a group has written in it
	Agent        string // one that is here
	Title        string
	WorkspaceID  string
	WorkspaceURI string
	Root         string // of the workspace, absolute; "" without one
	// Keep begins an artifact of the session; its name is made here, never taken
	// from the bundle.
	Keep func(toolName, callID, mime string) (tool.Spill, error)
}

// Restore writes a bundle into the folder of a new session. What happened stays
// as it was told; what would give rights, run something or reach out does not come
// along: session grants, full access, a system prompt, parameters, a model's name,
// provider state, pre-images, prompts that wait. The conversation counts as text
// from outside from its first word. The root's log is written last, so that what is
// cut short is no session.
func (b *Bundle) Restore(to Target) error {
	words, refs, err := b.keepParts(to)
	if err != nil {
		return err
	}
	at := &restoring{Target: to, refs: refs, words: strings.NewReplacer(words...)}
	for n := 1; n <= b.children(); n++ { // the next sub-agent's number is counted from these
		if err := to.Disk.MkdirAll(filepath.Join(to.Dir, history.ChildFolder, strconv.Itoa(n)), 0o700); err != nil {
			return err
		}
	}
	size := 0
	logs := slices.Clone(b.Logs)
	slices.Reverse(logs)
	for _, log := range logs {
		dir, lines := to.Dir, [][]byte{}
		if log.Child > 0 {
			dir = filepath.Join(to.Dir, history.ChildFolder, strconv.Itoa(log.Child))
		}
		events := make([]history.Event, len(log.Lines))
		for i, l := range log.Lines {
			events[i] = l.Event
			events[i].Body = at.body(l.Body, b.Session, log.Child > 0)
		}
		if log.Child == 0 {
			if events, err = at.close(events); err != nil {
				return err
			}
			markCopied(events)
		}
		for i, e := range events {
			raw, err := e.Encode()
			if err == nil {
				raw, err = eachString(raw, at.text)
			}
			if size += len(raw); err == nil && (len(raw) > durable.MaxLine || size > 2*maxFile) {
				err = errors.New("it is too long with the names of this workspace in it")
			}
			if err != nil {
				return fmt.Errorf("event %d of a log: %w", i+1, err)
			}
			lines = append(lines, raw)
		}
		if err := writeLines(to.Disk, dir, lines); err != nil {
			return err
		}
	}
	return nil
}

// restoring is one bundle on its way into a session.
type restoring struct {
	Target
	refs  map[string]tool.ArtifactRef // what the artifacts of the bundle are here, by their old id
	words *strings.Replacer
}

// text is a text of the bundle as it reads here.
func (r *restoring) text(s string) string { return history.Clean(r.words.Replace(s)) }

// keepParts writes blobs and artifacts, and gives what stands for them and for the
// workspace from now on.
func (b *Bundle) keepParts(to Target) (words []string, refs map[string]tool.ArtifactRef, err error) {
	refs = map[string]tool.ArtifactRef{}
	blobs := filepath.Join(to.Dir, history.BlobFolder)
	if err := to.Disk.MkdirAll(blobs, 0o700); err != nil {
		return nil, nil, err
	}
	named := b.artifacts()
	for _, p := range b.Parts {
		if p.Blob != "" { // a hash: Read has held it against the bytes
			if err := to.Disk.WriteFile(filepath.Join(blobs, p.Blob), p.Data, 0o600); err != nil {
				return nil, nil, err
			}
			continue
		}
		by, ok := named[p.Artifact]
		if !ok || refs[p.Artifact].ArtifactID != "" {
			continue // nobody points to it
		}
		spill, err := to.Keep(by.tool, by.call, p.MIMEType)
		if err != nil {
			return nil, nil, err
		}
		_, err = spill.Write(p.Data)
		ref, _, closed := spill.Close()
		if err := errors.Join(err, closed); err != nil {
			return nil, nil, err
		}
		ref.Capped = by.ref.Capped
		refs[p.Artifact] = ref
		// The name is long and is in the address: nothing else is replaced by it.
		for _, pair := range [][2]string{{by.ref.URI, ref.URI}, {by.ref.FileURI, ref.FileURI}, {by.ref.Path, ref.Path}} {
			if strings.Contains(pair[0], p.Artifact) && len(p.Artifact) >= 24 {
				words = append(words, pair[0], pair[1])
			}
		}
		if len(p.Artifact) >= 24 {
			words = append(words, p.Artifact, ref.ArtifactID)
		}
	}
	if to.Root != "" {
		words = append(words, "file://"+wordVault, "file://"+(&url.URL{Path: to.Root}).EscapedPath(), wordVault, to.Root)
	}
	return append(words, wordWorkspace, to.WorkspaceID), refs, nil
}

// children is the highest number of a sub-agent.
func (b *Bundle) children() int {
	n := 0
	for _, log := range b.Logs {
		n = max(n, log.Child)
	}
	return n
}

// keptBy is which call an artifact belongs to.
type keptBy struct {
	ref        tool.ArtifactRef
	tool, call string
}

// artifacts are those that the logs point to, by their old id.
func (b *Bundle) artifacts() map[string]keptBy {
	out := map[string]keptBy{}
	for _, log := range b.Logs {
		tools := map[string]string{} // by callId
		for _, l := range log.Lines {
			if r, ok := l.Body.(history.ToolReturned); ok {
				tools[r.CallID] = r.Tool
			}
			for _, ref := range refsOf(l.Body) {
				by := keptBy{ref, "message", "answer"}
				switch b := l.Body.(type) {
				case history.ToolReturned:
					by.tool, by.call = b.Tool, b.CallID
				case history.ContextPruned:
					for call, pruned := range b.Artifacts {
						if pruned.ArtifactID == ref.ArtifactID {
							by.tool, by.call = tools[call], call
						}
					}
				}
				out[ref.ArtifactID] = by
			}
		}
	}
	return out
}

// body is an event without what is not believed of a bundle.
func (r *restoring) body(body history.Body, from string, child bool) history.Body {
	switch b := body.(type) {
	case history.Opened:
		parent := &history.Parent{SessionID: history.ImportedFrom + control.Title(from, 40)}
		agent, title := r.Agent, control.Title(r.Title, 200)
		if child {
			parent.SessionID, agent, title = r.ID, b.Agent, b.Title
			if b.Parent != nil {
				parent.CallID = b.Parent.CallID
			}
		}
		return history.Opened{Version: history.Version, Key: r.Key, WorkspaceURI: r.WorkspaceURI, Agent: agent, Mode: tool.ModeAgent, RuntimeMode: "local", Title: title, Parent: parent, Tainted: true,
			Group: r.Group || b.Group || strings.Contains(b.Key, "/group:")}
	case history.Changed:
		b.SystemPrompt, b.Params, b.Model, b.Agent, b.Mode = nil, nil, nil, nil, nil
		b.RuntimeMode, b.SyncState, b.Tainted = nil, nil, nil
		b.Closed = nil // its key here is its own
		if b.Title != nil {
			title := control.Title(*b.Title, 200)
			b.Title = &title
		}
		return b
	case history.RunQueued:
		b.ClientMessageID = "" // a client may count its messages: none of those here is taken
		return b
	case history.RunStarted:
		b.ClientMessageID = ""
		return b
	case history.UserMessage:
		b.ClientMessageID = ""
		return b
	case history.AssistantMessage:
		b.Opaque = nil // it would go to a provider as it is
		b.Calls = slices.Clone(b.Calls)
		for i := range b.Calls {
			b.Calls[i].Extra = nil
		}
		b.Artifact = r.here(b.Artifact)
		return b
	case history.ToolReturned:
		b.Artifact = r.here(b.Artifact)
		return b
	case history.ToolRequested:
		b.Title = control.Title(b.Title, 0) // ours are on one line, with nothing hidden
		return b
	case history.Approval:
		b.SessionID, b.Title = r.ID, said.Plain(control.Title(b.Title.String(), 0))
		return b
	case history.ApprovalResolved:
		b.Grants, b.Rule = nil, nil
		return b
	case history.FileChanged:
		b.Checkpoint = ""
		return b
	case history.ContextPruned:
		kept := map[string]tool.ArtifactRef{}
		for call, ref := range b.Artifacts {
			if now := r.here(&ref); now != nil {
				kept[call] = *now
			}
		}
		b.Artifacts = kept
		return b
	case history.ContextCompacted:
		b.Transcript = ""
		return b
	case history.RunEnded:
		b.Audit = "" // it seals a chain that is not here
		return b
	}
	return body
}

// here is an artifact under its new name; nil for one that did not come along.
func (r *restoring) here(ref *tool.ArtifactRef) *tool.ArtifactRef {
	if ref == nil {
		return nil
	}
	now, ok := r.refs[ref.ArtifactID]
	if !ok {
		return nil
	}
	return &now
}

// close ends what the log leaves open: questions, sub-agents, calls, the run, and
// every prompt that waits. What a bundle brings never runs. From here on the
// conversation is text from outside.
func (r *restoring) close(events []history.Event) ([]history.Event, error) {
	t := history.NewTranscript()
	for _, e := range events {
		if err := t.Apply(e); err != nil {
			return nil, err
		}
	}
	run, now := "", time.Now().UTC().Truncate(time.Millisecond)
	if t.Run != nil {
		run = t.Run.ID
	}
	add := func(run string, body history.Body) {
		events = append(events, history.Event{Seq: int64(len(events)) + 1, Time: now, Run: run, Body: body})
	}
	for _, a := range t.Pending {
		add(run, history.ApprovalResolved{ApprovalID: a.ApprovalID, CallID: a.CallID, Decision: "restart", By: "restart"})
	}
	for _, q := range t.Asked {
		add(run, history.QuestionAnswered{QuestionID: q.QuestionID, CallID: q.CallID, Answers: []history.QuestionAnswer{}, By: "restart"})
	}
	for _, c := range t.Children {
		add(run, history.SubagentEnded{CallID: c.CallID, Path: c.Path, Status: history.StatusInterrupted})
	}
	for _, b := range t.CloseCalls("interrupted", "interrupted; outcome unknown") {
		add(run, b)
	}
	if t.Run != nil {
		add(run, history.RunEnded{StopReason: history.StopInterrupted, Usage: t.Run.Usage, Changes: []history.FileChange{}})
	}
	for _, q := range t.Queue {
		add(q.RunID, history.RunEnded{StopReason: history.StopCancelled, Changes: []history.FileChange{}})
	}
	yes, params := true, model.Params{}
	add("", history.Changed{Tainted: &yes, Params: &params})
	return events, nil
}

// markCopied says in what opens a session where that which it was given ends: of
// the changes in front of it nobody here has made any, and none can be undone.
func markCopied(events []history.Event) {
	for i, e := range events {
		if o, ok := e.Body.(history.Opened); ok && o.Parent != nil {
			o.Parent.AtSeq = int64(len(events))
			events[i].Body = o
		}
	}
}

// writeLines writes a log whole.
func writeLines(disk *durable.Disk, dir string, lines [][]byte) error {
	if err := disk.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var whole []byte
	for _, l := range lines {
		whole = append(append(whole, l...), '\n')
	}
	return disk.WriteFile(filepath.Join(dir, history.LogFile), whole, 0o600)
}
