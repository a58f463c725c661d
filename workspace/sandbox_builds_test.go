//go:build linux

package workspace

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// builds are projects as people have them: what they need, their files, and a command
// that ends with "built". Go is in TestSandboxWorksWithTools, with a warm cache.
var builds = []struct {
	name    string
	needs   []string
	files   map[string]string
	command string
}{
	{"make", []string{"make"}, map[string]string{"Makefile": "all: a.o\n\t@echo linked\na.o: a.in\n\tcp a.in a.o\n", "a.in": "x\n"}, "make && make -j4"},
	{"cmake", []string{"cmake", "cc", "make"}, map[string]string{
		"CMakeLists.txt": "cmake_minimum_required(VERSION 3.5...4.0)\nproject(x C)\nadd_executable(x x.c)\n", "x.c": "int main(void) { return 0; }\n",
	}, "cmake -S . -B out >/dev/null && cmake --build out && ./out/x"},
	{"cargo", []string{"cargo"}, map[string]string{
		"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/main.rs": "fn main() { println!(\"1\"); }\n",
	}, "cargo build --offline && cargo build --offline && ./target/debug/x"},
	{"npm", []string{"npm", "node"}, map[string]string{
		"package.json":            `{"name": "x", "version": "1.0.0", "scripts": {"test": "node t.js"}}`,
		"package-lock.json":       `{"name": "x", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {"": {"name": "x", "version": "1.0.0"}}}`,
		"node_modules/a/index.js": "", "t.js": "console.log(require('os').homedir(), require('os').cpus().length > 0)\n",
	}, "npm ci --offline --no-audit --no-fund && npm test"},
	{"maven", []string{"mvn"}, map[string]string{
		"pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId><version>1</version><packaging>pom</packaging></project>\n",
	}, "mvn -o -q validate"},
	{"python", []string{"python3"}, map[string]string{"t.py": "import unittest, tempfile, os\nclass T(unittest.TestCase):\n  def test(self):\n    tempfile.mkdtemp(); os.cpu_count()\n"},
		"python3 -m unittest t && python3 -m venv --without-pip env && env/bin/python -c 'import sys; assert sys.prefix.endswith(\"env\")'"},
	{"pip", []string{"pip"}, map[string]string{
		"setup.py": "from setuptools import setup\nsetup(name='x', version='1', py_modules=['x'])\n", "x.py": "one = 1\n",
	}, "python3 -m venv --system-site-packages env && env/bin/python -m pip install -q --no-build-isolation --no-index . && cd / && \"$OLDPWD/env/bin/python\" -c 'import x; assert x.one == 1'"},
	{"pytest", []string{"pytest"}, map[string]string{"test_x.py": "def test_x(tmp_path): (tmp_path / 'a').write_text('x')\n"}, "pytest -q"},
	{"git", []string{"git"}, map[string]string{"a.txt": "x\n"},
		"git status --short && git log --oneline && git diff && git add a.txt && git -c user.name=a -c user.email=a@b commit -qm second && git log --oneline"},
	{"a server", []string{"python3"}, map[string]string{"index.html": "served\n", "get.py": "import urllib.request, time\nfor _ in range(600):\n  try:\n    print(urllib.request.urlopen('http://127.0.0.1:8123/').read().decode()); break\n  except OSError: time.sleep(0.05)\n"},
		"python3 -m http.server --bind 127.0.0.1 8123 >/dev/null 2>&1 & python3 get.py | grep served; kill %1"},
}

// TestBoxBuilds: what people build runs in the box, with the toolchains of this machine.
// One that is not installed, or does not work outside the box either, is not run. Without
// -thorough it is two of them, by chance: a build takes longer than most tables.
func TestBoxBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: builds in the sandbox (short)")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("not run: there is no home")
	}
	levels := levelsHere(t)
	seed, chosen := sample.Seed(t), slices.Clone(builds)
	t.Logf("AGENT_SIDECAR_SEED=%d: builds in the box", seed)
	if !sample.Thorough() {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:2]
	}
	for _, name := range []string{"namespaces", "bubblewrap"} {
		l, ok := levels[name]
		if !ok {
			continue
		}
		for _, b := range chosen {
			t.Run(name+"/"+b.name, func(t *testing.T) {
				t.Parallel()
				for _, program := range b.needs {
					if path, err := exec.LookPath(program); err != nil || inAnotherHome(path, home) {
						t.Skipf("not run: %s is not installed, or only in a home that is not HOME", program)
					}
				}
				outside, inside := project(t, b.files), project(t, b.files)
				var needs tool.Needs
				if b.name == "git" {
					needs = tool.Needs{tool.NeedGit}
				}
				command := "set -e; " + b.command + "; echo built"
				if text := ran(t, sandbox.Level{Name: proc.None}, home, outside, command, nil); !strings.Contains(text, "built\n") {
					t.Skipf("not run: it does not work outside either: %s", text)
				}
				if text := ran(t, l, home, inside, command, needs); !strings.Contains(text, "built\n") {
					t.Errorf("%s", text)
				}
			})
		}
		break // one of them shows it
	}
}

// BenchmarkBuilds is how long each build takes in the box, as a ratio to outside: medians of
// nine, in turn, each in a new folder, with the caches of the runs before.
func BenchmarkBuilds(b *testing.B) {
	home, err := os.UserHomeDir()
	if err != nil {
		b.Skip("not run: there is no home")
	}
	inside, ok := workingLevels(b)["namespaces"]
	if !ok {
		b.Skip("not run: there are no namespaces here")
	}
	for _, build := range builds {
		b.Run(strings.ReplaceAll(build.name, " ", "_"), func(b *testing.B) {
			for _, program := range build.needs {
				if _, err := exec.LookPath(program); err != nil {
					b.Skipf("not run: %s is not installed", program)
				}
			}
			var needs tool.Needs
			if build.name == "git" {
				needs = tool.Needs{tool.NeedGit}
			}
			own, command := b.TempDir(), "set -e; "+build.command+"; echo built"
			var took [2][]time.Duration
			for try := range 10 {
				for i, l := range []sandbox.Level{{Name: proc.None}, inside} {
					text, d := timed(b, l, home, own, project(b, build.files), command, needs)
					if !strings.Contains(text, "built\n") {
						b.Fatal(l.Name, text)
					}
					if try > 0 { // the first fills the caches
						took[i] = append(took[i], d)
					}
				}
			}
			for i := range took {
				slices.Sort(took[i])
			}
			out, in := took[0][4], took[1][4]
			b.ReportMetric(float64(out.Milliseconds()), "ms-outside")
			b.ReportMetric(float64(in)/float64(out), "x-in-the-box")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// inAnotherHome says that a program is in the home of the account, while HOME is another:
// what it needs beside it is then in no home that a command sees.
func inAnotherHome(path, home string) bool {
	account, err := user.Current()
	return err == nil && !pathname.Inside(home, path) && pathname.Inside(account.HomeDir, path)
}

// project is a folder with files, and a repository where git is installed.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := notTemporary(t)
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if git, err := exec.LookPath("git"); err == nil {
		c := exec.Command("/bin/sh", "-c", `"$0" init -q . && "$0" -c user.name=a -c user.email=a@b commit -q --allow-empty -m first`, git)
		c.Dir, c.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	return dir
}

// ran is what a command said that ran in a folder at a level.
func ran(t testing.TB, l sandbox.Level, home, dir, command string, needs tool.Needs) string {
	t.Helper()
	text, _ := timed(t, l, home, t.TempDir(), dir, command, needs)
	return text
}

// timed is what a command said, and how long it took, in a workspace where one ran before it.
func timed(t testing.TB, l sandbox.Level, home, own, dir, command string, needs tool.Needs) (string, time.Duration) {
	t.Helper()
	v, err := Open([]Folder{{Path: dir}}, Options{Home: own, UserHome: home, Prober: sandbox.At(l), Protected: protectedHere})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	var text string
	var took time.Duration
	for _, command := range []string{"true", command} {
		p := bashPlan(t, newBash(v, "0001"), map[string]any{"command": command})
		p.Needs = needs
		before := time.Now()
		r, err := outputtest.Allowed(t.Context(), p, &outputtest.Kept{})
		if err != nil {
			t.Fatal(err)
		}
		text, took = r.Text, time.Since(before)
	}
	return text, took
}
