package history

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
)

// Facts are what code knows of the part of a conversation that a summary stands
// for, better than the model that wrote it. They are kept from one summary to
// the next, in the order in which things happened last.
type Facts struct {
	Read        []string // files, by path
	Changed     []string // files, by kind and path
	Artifacts   []string // paths of whole outputs
	Constraints []string // sentences of the user that demand or forbid
	Last        string   // the last message of the user, word for word
}

// What is kept of each, newest: a summary is made to be short.
const (
	mostFacts       = 60
	mostConstraints = 40
	maxConstraint   = 300 // bytes
)

// FactsBefore are the facts of everything before item k.
func (t *Transcript) FactsBefore(k int) Facts {
	f := Facts{slices.Clone(t.Facts.Read), slices.Clone(t.Facts.Changed), slices.Clone(t.Facts.Artifacts), slices.Clone(t.Facts.Constraints), t.Facts.Last}
	reads := map[string]string{} // paths, by the call that reads them
	for _, it := range t.Items[:k] {
		switch {
		case it.Answer != nil:
			for _, c := range it.Answer.Calls {
				if c.Tool == "read" {
					reads[c.CallID] = pathIn(c.Input)
				}
			}
		case it.Result != nil:
			if path := reads[it.Result.CallID]; path != "" && it.Result.Status == StatusCompleted {
				f.Read = keep(f.Read, path, mostFacts)
			}
			for _, c := range it.Result.Changes {
				f.Changed = keep(f.Changed, c.Kind+" "+c.Path, mostFacts)
			}
			if it.Result.Artifact != nil {
				f.Artifacts = keep(f.Artifacts, it.Result.Artifact.Path, mostFacts)
			}
		case !it.synthetic:
			f.Last = TextOf(it.Blocks)
			for _, s := range demands(f.Last) {
				f.Constraints = keep(f.Constraints, s, mostConstraints)
			}
		}
	}
	return f
}

// keep puts one at the end of a list without repeats that is at most so long.
func keep(list []string, one string, most int) []string {
	list = append(slices.DeleteFunc(list, func(s string) bool { return s == one }), one)
	return list[max(len(list)-most, 0):]
}

func pathIn(input json.RawMessage) string {
	var in struct {
		Path string `json:"path"`
	}
	if jsonv2.Unmarshal(input, &in, lenient) != nil {
		return ""
	}
	return in.Path
}

// demanding are words of sentences that say what must or must not be. It is used
// on a person's own words only, and what it misses the summary still has.
var demanding = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(must|never|always|only|do not|don['’]t|without|at least|at most|no more than|requires?|required|forbidden|avoid|keep|make sure|ensure|instead of|important)\b|必须|不要|不得|不能|不许|不可|禁止|务必|只能|只用|一定|切勿|仅限|至少|最多|保持|确保|重要`)
})

// demands are the sentences of a text that demand or forbid something.
func demands(text string) (found []string) {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n。！？", r) }) {
		for _, s := range strings.SplitAfter(line, ". ") {
			if s = strings.TrimSpace(s); s != "" && len(s) <= maxConstraint && demanding().MatchString(s) {
				found = append(found, s)
			}
		}
	}
	return found
}
