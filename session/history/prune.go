package history

import (
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// prune leaves of results their names and where they lie, or what is shown of them from now
// on. The call and its input stay; the log keeps everything.
func (t *Transcript) prune(b ContextPruned) {
	t.Edits++
	for _, id := range b.CallIDs {
		it := t.results.find(t.Items, id)
		if it == nil || it.Pruned {
			continue
		}
		artifact := it.Result.Artifact
		if ref, ok := b.Artifacts[it.Result.CallID]; ok && artifact == nil {
			artifact = &ref
		}
		if text, cut := b.Texts[id]; cut {
			it.cut(text, artifact)
			continue
		}
		it.prune(artifact)
	}
}

// cut leaves of a result what a smaller window has room for.
func (it *Item) cut(text string, artifact *tool.ArtifactRef) {
	short := *it.Result
	short.Text, short.Truncated, short.Artifact = text, true, artifact
	it.Result = &short
	it.Data = false
	it.Cut = true
	*it = it.measured()
}

// prune leaves of a result its name and where all of it is.
func (it *Item) prune(artifact *tool.ArtifactRef) {
	text := pruned(it.Result, artifact)
	it.Result = &ToolReturned{CallID: it.Result.CallID, Tool: it.Result.Tool, Status: StatusCompleted, Text: text, Artifact: artifact, Changes: it.Result.Changes}
	it.Size, it.Pruned = SizeOf(text).Framed(0), true
	it.Cut = false
}

// resultIndex says where among the items the result of a call is. It takes in items
// when it is asked, so that a long log with many prunings is not walked for each.
type resultIndex struct {
	at   map[string]int // by call id
	upTo int            // of the items, how many it knows
}

// find is the item of the call's result; nil where there is none. items may have grown
// since the last call, and nothing else.
func (x *resultIndex) find(items []Item, id string) *Item {
	if x.at == nil {
		x.at = map[string]int{}
	}
	for ; x.upTo < len(items); x.upTo++ {
		if r := items[x.upTo].Result; r != nil {
			x.at[r.CallID] = x.upTo
		}
	}
	i, ok := x.at[id]
	if !ok {
		return nil
	}
	return &items[i]
}

// pruned is what is where a result was: one line that code made of it, and
// the path of the whole.
func pruned(r *ToolReturned, artifact *tool.ArtifactRef) string {
	lines, bytes := int64(strings.Count(strings.TrimSuffix(r.Text, "\n"), "\n")+1), int64(len(r.Text))
	if r.Text == "" {
		lines = 0
	}
	if r.Artifact != nil {
		lines, bytes = r.Artifact.Lines, r.Artifact.Bytes
	}
	how := "ok"
	switch {
	case r.ExitCode != nil && *r.ExitCode != 0:
		how = fmt.Sprintf("exit code %d", *r.ExitCode)
	case r.Status != StatusCompleted:
		how = string(r.Status)
	}
	text := fmt.Sprintf("[Old tool result content cleared]\n%s: %s, %s, %s", r.Tool, counted(lines, "line"), kilobytes(bytes), how)
	if artifact != nil {
		text += "; full output: " + artifact.Path
	}
	return text
}

// PrunedSize is about what is left of a result that is pruned.
func PrunedSize(r *ToolReturned) Size {
	const path = 100 // of an artifact that is yet to be written
	s := SizeOf(pruned(r, r.Artifact)).Framed(0)
	if r.Artifact == nil {
		s = s.Plus(Size{Bytes: path, Chars: path})
	}
	return s
}

func counted(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func kilobytes(n int64) string {
	if n < 1000 {
		return counted(n, "byte")
	}
	return fmt.Sprintf("%d KB", (n+500)/1000)
}
