package tool

import (
	"slices"
	"strconv"
	"strings"
)

// synonyms are other names that models give to an argument, by its own name; all of
// them folded. A name that stands at two arguments means neither where a tool has both.
// A name that could be in another unit, or mean the opposite, is not here.
var synonyms = map[string][]string{
	"path":       {"file", "filename", "filepath", "pathname", "absolutepath", "targetfile", "dir", "dirpath", "directory", "directorypath", "folder"},
	"pattern":    {"regex", "regexp", "query", "search", "searchterm", "searchpattern", "globpattern"},
	"include":    {"file", "filename", "files", "glob", "fileglob", "filepattern", "includepattern"},
	"query":      {"q", "search", "searchterm", "keywords", "text"},
	"mode":       {"outputmode"},
	"context":    {"contextlines", "c"},
	"ignorecase": {"caseinsensitive", "insensitive", "i"},
	"literal":    {"fixedstring", "fixedstrings"},
	"limit":      {"maxresults", "maxcount", "maxlines", "headlimit", "numlines"},
	"offset":     {"startline", "lineoffset"},
	"depth":      {"maxdepth", "levels"},
	"id":         {"jobid", "job", "bashid", "shellid"},
	"content":    {"contents", "text", "filecontent", "filetext"},
	"old":        {"oldstring", "oldstr", "oldtext", "search"},
	"new":        {"newstring", "newstr", "newtext", "replace", "replacement"},
	"from":       {"source", "src", "oldpath"},
	"to":         {"destination", "dest", "dst", "newpath", "target"},
	"patch":      {"diff", "input"},
	"command":    {"cmd", "script"},
	"workdir":    {"cwd", "workingdirectory", "directory"},
	"background": {"runinbackground"},
	"url":        {"uri", "link", "address"},
	"agent":      {"agenttype", "subagent", "subagenttype"},
	"prompt":     {"instructions", "message"},
	"resumeid":   {"resume"},
}

// fold makes the spellings of a name one: filePath, FilePath and file_path.
func fold(name string) string { return strings.ToLower(joints.Replace(name)) }

var joints = strings.NewReplacer("_", "", "-", "")

// meant are the arguments that a name that is none of them can mean.
func meant(name string, arguments []string) []string {
	name = fold(name)
	var same, other []string
	for _, a := range arguments {
		switch folded := fold(a); {
		case folded == name:
			same = append(same, a)
		case slices.Contains(synonyms[folded], name):
			other = append(other, a)
		}
	}
	if len(same) > 0 {
		return same
	}
	return other
}

// listing is "a, b and c".
func listing(words []string, before string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + before + " " + words[last]
}

// quoted are names as they are shown to a model.
func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(clipped(n))
	}
	return out
}

// mostShown is how much of what a model wrote it is shown again, in bytes.
const mostShown = 60

func clipped(s string) string {
	if len(s) <= mostShown {
		return s
	}
	return strings.ToValidUTF8(s[:mostShown], "") + "…"
}
