package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control/truncation"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// truncate bounds what the model and the log get of a call, whatever it came
// from: a tool, a failed one, a hook, an MCP server, a sub-agent, or a refusal.
// It is behind everything that may change the text, and in front of the log.
// The whole text is in an artifact. note is behind it all.
func (l *caller) truncate(r *run, j *invocation, note string) {
	j.result.Changes = boundChanges(j.result.Changes, maxChanges)
	lim := l.limitsOf(r, j)
	text := j.result.Text
	out := truncation.Output{Tool: j.call.Tool, CallID: j.call.CallID, TaskAvailable: has(r.tools, taskName), Note: note}
	switch spilled := j.spilled; {
	case spilled != nil:
		out.Text, out.TooLong = spilled.Text, spilled.Text != ""
		out.Head, out.Tail, out.Note = spilled.Head, spilled.Tail, joinLines(spilled.Note, note)
		out.Bytes, out.Chars, out.Lines = spilled.Bytes, spilled.Chars, spilled.Lines
		out.SHA256, out.Capped, out.FullPath = spilled.SHA256, spilled.Capped, spilled.FullPath
		j.result.Artifact = spilled.Artifact
	case truncation.Fits(text, note, withTrailer(j, lim)) && encodedSize(text) <= maxEncoded:
		j.result.Text = withNote(text, note)
		return
	case l.readsArtifact(j):
		j.result.Text = withNote(truncation.Page(text, lim), note)
		j.result.Truncated = true
		return
	default:
		whole := cmp.Or(j.whole, text) // the file has it as it came
		sum := sha256.Sum256([]byte(whole))
		out.Text, out.SHA256, out.TooLong = text, hex.EncodeToString(sum[:]), true
		out.Bytes, out.Chars, out.Lines = int64(len(whole)), int64(utf8.RuneCountInString(whole)), truncation.CountLines(whole)
		if encodedSize(text) > maxEncoded { // it may be within the limits all the same
			lim.MaxBytes = min(lim.MaxBytes, len(text)-1)
		}
		ref, path, err := l.root.place().keep(l.root.id, j.call.Tool, j.call.CallID, whole)
		if err == nil {
			j.result.Artifact, out.FullPath = ref, path
		} else {
			l.deps.Log.Error().Err(err).Msg("artifact cannot be written")
		}
	}
	if j.result.Artifact != nil {
		out.ArtifactPath = &j.result.Artifact.Path
	}
	j.result.Text, _ = truncation.Truncate(out, lim)
	j.result.Truncated = true
}

// limitsOf bounds the result of a call.
func (l *caller) limitsOf(r *run, j *invocation) truncation.Limits {
	c := l.deps.Config.Settings().Truncation
	lim := truncation.Limits{MaxLines: c.MaxLines, MaxBytes: min(c.MaxBytes, maxResult)}
	if share := l.room(r); share > 0 {
		lim.MaxBytes = min(lim.MaxBytes, share)
	}
	if j.call.Tool == taskName {
		lim.MaxBytes = min(lim.MaxBytes, maxReport)
	}
	return lim
}

// withTrailer lets a full page of read be shown as it is: the line below it that
// says where to go on is none of the file's.
func withTrailer(j *invocation, lim truncation.Limits) truncation.Limits {
	last := j.result.Text[strings.LastIndexByte(j.result.Text, '\n')+1:]
	if j.call.Tool == "read" && strings.HasPrefix(last, "(lines ") {
		lim.MaxLines = cmp.Or(lim.MaxLines, truncation.DefaultMaxLines) + 1
	}
	return lim
}

// readsArtifact says that a call only read what is an artifact, or a transcript,
// already: it is shown page by page and never stored again.
func (l *caller) readsArtifact(j *invocation) bool {
	if j.plan == nil || j.plan.Effect != tool.Read || len(j.plan.Targets) == 0 {
		return false
	}
	f := l.root.place().Surroundings.Facts()
	f.Own = l.authority.ownDirs()
	for _, dir := range l.root.place().Artifacts.ArtifactDirs(l.root.id) {
		f.Own = append(f.Own, filepath.Dir(dir)) // those of other sessions too
	}
	return !slices.ContainsFunc(j.plan.Targets, func(t tool.Target) bool { return t.Domain != tool.DomainRead || !f.Owns(t) })
}

// withNote puts a note behind a text that stays as it is.
func withNote(text, note string) string {
	if note == "" {
		return text
	}
	return text + "\n\n" + note
}

// joinLines puts what there is under each other.
func joinLines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n")
}
