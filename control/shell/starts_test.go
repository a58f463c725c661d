package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// tree is files by their names in /w; a text of "big" is too long to be read.
type tree map[string]string

func (t tree) Read(file string) (text string, there, whole bool) {
	text, there = t[strings.TrimPrefix(file, "/w/")]
	return text, there, there && text != "big"
}

func (t tree) OwnProgram(name string) string {
	if _, there := t[".venv/bin/"+name]; there {
		return "/w/.venv/bin/" + name
	}
	return ""
}

func (t tree) Names(dir string) (names []string) {
	for file := range t {
		if rest, below := strings.CutPrefix(path.Join("/w", file), strings.TrimSuffix(dir, "/")+"/"); below {
			first, _, deeper := strings.Cut(rest, "/")
			if deeper {
				first += "/"
			}
			if !slices.Contains(names, first) {
				names = append(names, first)
			}
		}
	}
	slices.Sort(names)
	return names
}

var theTree = tree{
	"b.sh": "echo hi", "a.sh": "#!/usr/bin/env bash\n./b.sh\n. lib.sh", "lib.sh": "true", "sub/b.sh": "true", "tool": "#!/usr/bin/python3\nimport x", "bin": "\x7fELF\x00./b.sh",
	"x.py": "import b", "mod/__main__.py": "", "p.awk": "{print}", "app.js": "", "srv/index.js": "", "data.json": "{}", "huge": "big",
	"Makefile":   "include mk/more.mk\nS := ./s.sh\nt: dep\n\t@$(S) $(ARG)\nu: ; sh $(DIR)/u.sh\nv:\n\t$(MAKE) -C sub\nX := $(shell ./x.sh)\n",
	"mk/more.mk": "DIR = tools\n",
	"tools/u.sh": "true", "s.sh": "true", "x.sh": "true", "sub/Makefile": "a:\n\ttrue\n", "other.mk": "t:\n\ttrue\n",
	"package.json": `{"name":"x","scripts":{"test":"node app.js && npm run lint","lint":"sh b.sh","pretest":"./s.sh"},"dependencies":{"a":"1"}}`,
	"pkg/a.go":     "package pkg\n//go:generate ../s.sh x\n", "pkg/b.go": "package pkg\n", "pkg/testdata/c.go": "//go:generate evil\n", "pkg/deep/d.go": "//go:generate go run gen.go\n", "pkg/deep/gen.go": "",
	".venv/bin/tox": "#!/usr/bin/python3\n",
	"justfile":      "t:\n  true\n", "web/x": "",
}

func TestWhichFilesACommandStarts(t *testing.T) {
	for command, want := range map[string]string{
		"./b.sh":                               "b.sh",
		"/w/b.sh x":                            "b.sh",
		"./a.sh":                               "a.sh b.sh lib.sh",
		"sh b.sh":                              "b.sh",
		"bash -eu b.sh data.json":              "b.sh data.json",
		"bash -o errexit b.sh":                 "b.sh",
		"sh -c './b.sh'":                       "b.sh",
		". ./lib.sh":                           "lib.sh",
		"source lib.sh":                        "lib.sh",
		"timeout 5 ./b.sh":                     "b.sh",
		"env A=1 sh b.sh":                      "b.sh",
		"nohup ./b.sh &":                       "b.sh",
		"cd sub && ./b.sh":                     "sub/b.sh",
		"f=b.sh; sh $f":                        "b.sh",
		"for f in a.sh b.sh; do sh ./$f; done": "a.sh b.sh lib.sh",
		"true && (sh lib.sh)":                  "lib.sh",
		"python3 x.py data.json":               "data.json x.py",
		"python3.12 -W data.json x.py":         "data.json x.py",
		"python3 -c 'print()' x.py":            "x.py",
		"python3 -m mod":                       "mod/__main__.py",
		"./tool":                               "tool",
		"./bin":                                "bin",
		"node app":                             "app.js",
		"node --require=./b.sh app.js":         "app.js b.sh",
		"node srv":                             "srv/index.js",
		"awk -f p.awk data.json":               "p.awk",
		"sed -n p data.json":                   "",
		"make t":                               "Makefile mk/more.mk s.sh sub/Makefile tools/u.sh x.sh",
		"make -f other.mk t":                   "other.mk",
		"make -C sub a":                        "sub/Makefile",
		"make S=./b.sh t":                      "Makefile b.sh mk/more.mk sub/Makefile tools/u.sh x.sh",
		"npm test":                             "app.js b.sh package.json s.sh",
		"cd web && npm run lint":               "app.js b.sh package.json s.sh",
		"yarn lint":                            "app.js b.sh package.json s.sh",
		"npm ci":                               "app.js b.sh package.json s.sh",
		"npm -w web test":                      "? app.js b.sh package.json s.sh",
		"go generate ./...":                    "pkg/a.go pkg/deep/d.go pkg/deep/gen.go s.sh",
		"go generate ./pkg":                    "pkg/a.go s.sh",
		"go test ./...":                        "",
		"go run pkg/deep/gen.go":               "pkg/deep/gen.go",
		"just t":                               "justfile",
		"tox -e py":                            ".venv/bin/tox",
		"timeout 9 tox":                        ".venv/bin/tox",
		"cat b.sh":                             "",
		"git status":                           "",
		"./huge":                               "?",
		"./absent.sh":                          "",
	} {
		var got []string
		for _, s := range Starts(command, Place{Dir: "/w", Home: "/home/u", Roots: []string{"/w"}}, theTree) {
			name := strings.TrimPrefix(s.Path, "/w/")
			if name == "" {
				name = "?"
			}
			if !slices.Contains(got, name) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s\n got  %s\n want %s", command, strings.Join(got, " "), want)
		}
	}
}

// What counts of a file is what its runner obeys: a new dependency is no new script.
func TestWhatOfAFileCounts(t *testing.T) {
	part := func(command string, files tree) string {
		return fmt.Sprint(Starts(command, Place{Dir: "/w", Roots: []string{"/w"}}, files))
	}
	scripts := part("npm test", tree{"package.json": `{"scripts":{"test":"true"}}`})
	if more := part("npm test", tree{"package.json": `{"dependencies":{"a":"1"}, "scripts": {"test": "true"}}`}); more != scripts {
		t.Errorf("a dependency counts: %s, %s", scripts, more)
	}
	if other := part("npm test", tree{"package.json": `{"scripts":{"test":"false"}}`}); other == scripts {
		t.Error("another script does not count")
	}
	one := part("go generate", tree{"a.go": "package a\n//go:generate true\n"})
	if more := part("go generate", tree{"a.go": "package a\n\nfunc f() {}\n//go:generate true\n"}); more != one {
		t.Errorf("source counts: %s, %s", one, more)
	}
}

// More than can be shown and remembered is said to be more.
func TestMoreThanAYesCovers(t *testing.T) {
	files := tree{}
	var script strings.Builder
	for i := range MaxStarted {
		files[fmt.Sprintf("s%d.sh", i)] = "true"
		fmt.Fprintf(&script, "./s%d.sh\n", i)
	}
	unknown := func(files tree) bool {
		return slices.ContainsFunc(Starts("./all.sh", Place{Dir: "/w", Roots: []string{"/w"}}, files), func(s Started) bool { return s.Path == "" })
	}
	files["all.sh"] = script.String()
	if !unknown(files) {
		t.Error("65 files are all covered")
	}
	delete(files, "s0.sh")
	if unknown(files) {
		t.Error("64 files are not covered")
	}
	if !unknown(tree{"all.sh": strings.Repeat("#", MaxStartedBytes+1)}) {
		t.Error("more than 4 MiB are covered")
	}
}
