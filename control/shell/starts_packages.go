package shell

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// packages notes of the package.json that npm and its like would find what they run of
// it, and what its scripts start: each may call another.
func (w *walker) packages(args []string, dir string) {
	for _, to := range append(valuesOf(args, "-C", "--prefix", "--dir"), valuesOf(args, "", "--cwd")...) {
		dir = w.join(dir, to)
	}
	if slices.ContainsFunc(args, func(a string) bool {
		option, _, _ := strings.Cut(a, "=")
		return words("-w --workspace --workspaces -ws -r --recursive --filter -F workspace workspaces").has(option)
	}) {
		w.more() // packages in directories that only a package manager knows
	}
	for _, up := range w.upward(dir) {
		file := path.Join(up, "package.json")
		text, there, whole := w.files.Read(file)
		switch {
		case !there:
			continue
		case !whole:
			w.more()
			return
		}
		scripts, part := scriptsOf(text)
		w.add(file, part)
		w.whole(path.Join(up, ".npmrc"), up) // it may name another shell
		if w.seen[file] {
			return // a script of its own led here
		}
		w.seen[file] = true
		for _, name := range slices.Sorted(maps.Keys(scripts)) {
			w.follow(scripts[name], up)
		}
		return
	}
}

// scriptsOf are the scripts of a package.json, and their text in one spelling: all of
// the file where it cannot be read.
func scriptsOf(text string) (scripts map[string]string, part string) {
	var file struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(text), &file) != nil {
		return nil, text
	}
	raw, err := json.Marshal(file.Scripts)
	if err != nil {
		return nil, text
	}
	return file.Scripts, string(raw)
}

// golang notes what go generate obeys, and the files that go run is given by name. A
// package that it builds is sources.
func (w *walker) golang(args []string, dir string) {
	if len(args) > 1 && args[0] == "-C" {
		dir, args = w.join(dir, args[1]), args[2:]
	}
	if len(args) == 0 {
		return
	}
	switch args[0] {
	case "run":
		for _, a := range args[1:] {
			if certain(a) && strings.HasSuffix(a, ".go") {
				w.whole(w.join(dir, a), dir)
			}
		}
	case "generate":
		packages := slices.DeleteFunc(slices.Clone(args[1:]), func(a string) bool { return strings.HasPrefix(a, "-") })
		if len(packages) == 0 {
			packages = []string{"."}
		}
		for _, p := range packages {
			w.generated(p, dir)
		}
	}
}

// generated looks through a file, a package or all packages below a directory for the
// lines that go generate obeys.
func (w *walker) generated(name, dir string) {
	below, _, all := strings.Cut(name, "...")
	switch {
	case !certain(name):
		w.more()
	case strings.HasSuffix(name, ".go"):
		w.directives(w.join(dir, name))
	case all: // ./a... is every package whose name begins like it
		w.generatedBelow(w.join(dir, path.Dir(below)))
	default:
		w.generatedIn(w.join(dir, name))
	}
}

func (w *walker) generatedBelow(dir string) {
	for _, name := range w.generatedIn(dir) {
		sub, is := strings.CutSuffix(name, "/")
		if is && sub != "testdata" && sub != "vendor" && sub != "node_modules" && !strings.HasPrefix(sub, ".") && !strings.HasPrefix(sub, "_") {
			w.generatedBelow(path.Join(dir, sub))
		}
	}
}

func (w *walker) generatedIn(dir string) (names []string) {
	if w.looked++; w.looked > maxSearched {
		w.more()
		return nil
	}
	names = w.files.Names(dir)
	for _, name := range names {
		if strings.HasSuffix(name, ".go") {
			w.directives(path.Join(dir, name))
		}
	}
	return names
}

func (w *walker) directives(file string) {
	if w.looked++; w.looked > maxSearched {
		w.more()
		return
	}
	text, ok := w.read(file, "generate")
	if !ok {
		return
	}
	const mark = "//go:generate"
	var found []string
	for line := range strings.Lines(text) {
		if rest, is := strings.CutPrefix(line, mark); is && rest != "" && blank(rest[0]) {
			found = append(found, strings.TrimSpace(rest))
		}
	}
	if len(found) == 0 {
		return
	}
	w.add(file, strings.Join(found, "\n"))
	for _, command := range found {
		w.follow(command, path.Dir(file))
	}
}
