package workspace

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// missing says that p does not exist, with up to three names like it from the
// nearest directory that does (workspace §2).
func (d *desk) missing(p Path) error {
	dir := filepath.Dir(p.abs)
	want := filepath.Base(p.abs)
	for {
		if fi, err := os.Lstat(dir); err == nil && fi.IsDir() || dir == filepath.Dir(dir) {
			break
		}
		want, dir = filepath.Base(dir), filepath.Dir(dir)
	}
	q, err := d.v.locate(dir, true)
	if err != nil {
		return fmt.Errorf("%s does not exist", p)
	}
	names := d.similar(q, want)
	if len(names) == 0 {
		return fmt.Errorf("%s does not exist", p)
	}
	return fmt.Errorf("%s does not exist; similar: %s", p, strings.Join(names, ", "))
}

// similar lists at most three entries of dir whose names are like want. Names
// that a person would be asked about, or that are hidden, are not told, and
// nothing is told about other directories than those of the Vault.
func (d *desk) similar(dir Path, want string) []string {
	if dir.root == nil {
		return nil
	}
	h, err := dir.openDir()
	if err != nil {
		return nil
	}
	defer h.Close()
	f, err := h.Open(".")
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(5000)
	type scored struct {
		name string
		cost int
	}
	var list []scored
	asks := d.asks("")
	for _, e := range entries {
		cost := unlike(strings.ToLower(want), strings.ToLower(e.Name()))
		if cost > max(2, len(want)/3) || asks.below(dir, e.Name(), filepath.Join(dir.abs, e.Name()), e.Type()) {
			continue
		}
		if q, err := d.v.locate(filepath.Join(dir.abs, e.Name()), false); err != nil || d.v.visible(q) != nil {
			continue
		}
		list = append(list, scored{dir.child(e.Name()), cost})
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(a.cost-b.cost, strings.Compare(a.name, b.name)) })
	var out []string
	for _, s := range list[:min(3, len(list))] {
		out = append(out, printable(s.name))
	}
	return out
}

// unlike counts the edits between two names; one that contains the other, or
// differs only in its extension, is close.
func unlike(a, b string) int {
	if strings.TrimSuffix(a, filepath.Ext(a)) == strings.TrimSuffix(b, filepath.Ext(b)) {
		return 1
	}
	if len(a) > 3 && strings.Contains(b, a) || len(b) > 3 && strings.Contains(a, b) {
		return 2
	}
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}
