package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// TestEditorsHideNoLetter: what cannot be seen for the terminal cannot be seen in the
// editors' own plugins either: their tables have every letter that the program's has.
func TestEditorsHideNoLetter(t *testing.T) {
	for name, pair := range map[string]string{
		"../../editors/nvim/lua/agent-sidecar/visible.lua": `\{ 0x([0-9a-f]+), 0x([0-9a-f]+) \}`,
		"../../editors/vscode/src/text/visible.ts":         `\\u\{?([0-9a-f]{4,5})\}?(?:-\\u\{?([0-9a-f]{4,5})\}?)?`,
	} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		hidden := map[rune]bool{}
		for _, m := range regexp.MustCompile(pair).FindAllStringSubmatch(string(raw), -1) {
			from, _ := strconv.ParseInt(m[1], 16, 32)
			to := from
			if m[2] != "" {
				to, _ = strconv.ParseInt(m[2], 16, 32)
			}
			for r := from; r <= to; r++ {
				hidden[rune(r)] = true
			}
		}
		var missing []string
		for r := rune(0); r <= utf8.MaxRune; r++ {
			if utf8.ValidRune(r) && control.Lines(string(r)) != string(r) && !hidden[r] {
				missing = append(missing, strconv.FormatInt(int64(r), 16))
			}
		}
		if missing != nil {
			t.Errorf("%s shows %s as they are", name, strings.Join(missing, " "))
		}
	}
}
