package history

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// NamesText says whether a prompt of the log has a long text by this name beside it.
// Only lines with the name in them are decoded, and it ends with ctx.
func (r *Reader) NamesText(ctx context.Context, name string) (named bool, err error) {
	if !IsBlobName(name) {
		return false, nil
	}
	_, err = durable.ReadFrom(filepath.Join(r.dir, LogFile), 0, func(line []byte, _ int64) bool {
		if bytes.Contains(line, []byte(name)) {
			e, err := Decode(bytes.Clone(line))
			named = err == nil && slices.ContainsFunc(promptOf(e), func(b Block) bool { return b.Type == "artifact" && b.ArtifactID == name })
		}
		return !named && ctx.Err() == nil
	})
	return named, cmp.Or(err, ctx.Err())
}

// promptOf is what a person said in an event, nil where it is none of that kind.
func promptOf(e Event) []Block {
	switch b := e.Body.(type) {
	case RunQueued:
		return b.Prompt
	case RunStarted:
		return b.Prompt
	case UserMessage:
		return b.Content
	}
	return nil
}
