// Package names has the public lists of names of files: those that other programs run or
// obey, and those that hold secrets. Each list says where its names are from.
package names

import (
	_ "embed"
	"strings"
)

var (
	//go:embed obeyed.txt
	obeyed string
	//go:embed sensitive.txt
	sensitive string
)

// Obeyed are patterns of files that other programs run or obey.
var Obeyed = patterns(obeyed)

// Sensitive are patterns of files that hold secrets.
var Sensitive = patterns(sensitive)

// patterns are the lines of a list that are no comment.
func patterns(list string) []string {
	var out []string
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}
