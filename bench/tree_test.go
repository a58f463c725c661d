package bench

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	treeFiles   = 50_000 // that a search looks into
	treeIgnored = 12_000 // that .gitignore excludes
	rareWord    = "quokkaHandshake"
	rareFiles   = 7
	treeLinks   = 300
)

// growTree fills dir with a project of treeFiles files as people have them:
// directories in directories, most files small and some large, text of many
// kinds with pictures between, hidden files, links, ignore files at several
// depths, and a place of dependencies that they exclude. It is the same each
// time, except that the text is that of the Go installation, so that letters,
// words and line lengths are those of real code.
func growTree(tb testing.TB, dir string) {
	tb.Helper()
	rnd := rand.New(rand.NewPCG(50_000, 1))
	corpus := goSource(tb)
	dirs := []string{dir}
	for i := range 4000 {
		// Mostly deeper below recent ones, as packages lie in packages.
		parent := dirs[max(0, len(dirs)-1-rnd.IntN(min(len(dirs), 300)))]
		if strings.Count(parent[len(dir):], "/") > 7 {
			parent = dirs[rnd.IntN(min(len(dirs), 40))]
		}
		name := fmt.Sprintf("%s%d", treeWords[rnd.IntN(len(treeWords))], i)
		if i%97 == 0 {
			name = "." + name
		}
		dirs = append(dirs, filepath.Join(parent, name))
	}
	put := func(path string, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	mkdir := func(path string) {
		if err := os.MkdirAll(path, 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	for i, d := range dirs {
		mkdir(d)
		if i%25 == 1 {
			put(filepath.Join(d, ".gitignore"), []byte("/generated/\n*.snap\n!keep.log\n"))
		}
	}
	put(filepath.Join(dir, ".gitignore"), []byte("node_modules/\ndist/\n/build/\n*.log\n*.tmp\n*.py[co]\n.cache/\ncoverage/**/*.html\n!important.log\n"))
	text := func() []byte {
		size := min(int(math.Exp(8+1.2*rnd.NormFloat64())), 1<<20)
		from := rnd.IntN(len(corpus) - size)
		from += 1 + bytes.IndexByte(corpus[from:], '\n')
		return corpus[from:min(from+size, len(corpus))]
	}
	picture := make([]byte, 20_000)
	for i := range picture {
		picture[i] = byte(rnd.Uint32())
	}
	copy(picture, "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	for i := range treeFiles {
		at := filepath.Join(dirs[rnd.IntN(len(dirs))], fmt.Sprintf("%s_%d%s", treeWords[rnd.IntN(len(treeWords))], i, treeEnds[rnd.IntN(len(treeEnds))]))
		data := text()
		switch {
		case i%33 == 0:
			at, data = at+".png", picture[:200+rnd.IntN(len(picture)-200)]
		case i%(treeFiles/rareFiles) == 1:
			data = append(bytes.Clone(data), "\n\treturn "+rareWord+"(ctx) // once in a while\n"...)
		}
		put(at, data)
	}
	for i := range treeIgnored {
		d := filepath.Join(dirs[(i/4000)*100], "node_modules", fmt.Sprintf("package%d", i/40%100), "lib")
		if i%40 == 0 {
			mkdir(d)
		}
		put(filepath.Join(d, fmt.Sprintf("m%d.js", i)), append(bytes.Clone(text()), rareWord...))
	}
	for i := range treeLinks {
		put(filepath.Join(dirs[rnd.IntN(len(dirs))], fmt.Sprintf("run%d.log", i)), []byte(rareWord))
		if err := os.Symlink("..", filepath.Join(dirs[rnd.IntN(len(dirs))], fmt.Sprintf("up%d", i))); err != nil {
			tb.Fatal(err)
		}
	}
}

var (
	treeWords = strings.Fields("server client handler parser token index cache store router model view session config schema worker queue event buffer stream codec auth user order invoice report test")
	treeEnds  = strings.Fields(".go .go .go .go .ts .ts .tsx .js .py .md .json .yaml .txt .css .html .c .h .rs .sh .sql")
)

// goSource is text of the Go installation, at most 64 MB.
func goSource(tb testing.TB) []byte {
	tb.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	var all []byte
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(out)), "src"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || len(all) > 64<<20 || !e.Type().IsRegular() || !strings.HasSuffix(path, ".go") {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(all, data...)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}
