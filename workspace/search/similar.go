package search

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Similar are at most three names of entries that are like want, the likest first.
// tell says which of these may be told; it is asked about no others.
func Similar(want string, entries []fs.DirEntry, tell func(fs.DirEntry) bool) []string {
	type scored struct {
		name string
		cost int
	}
	var list []scored
	for _, e := range entries {
		cost := unlike(strings.ToLower(want), strings.ToLower(e.Name()))
		if cost > max(2, len(want)/3) || !tell(e) {
			continue
		}
		list = append(list, scored{e.Name(), cost})
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(a.cost-b.cost, strings.Compare(a.name, b.name)) })
	var out []string
	for _, s := range list[:min(3, len(list))] {
		out = append(out, s.name)
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
