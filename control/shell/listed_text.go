package shell

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// plainSed are programs of sed that only print, delete, quit and replace: p, d, q, = and s
// with the flags g, p, i and numbers, behind lines, "$" and /patterns/. Brackets, in which
// versions of sed find an end in their own ways, are not plain.
var plainSed = lazy.Regexp(sedPattern())

func sedPattern() string {
	until := func(end string) string { return `(?:[^` + end + `\\\[\n]|\\[^\n])*` + end }
	var replaces []string
	for _, end := range []string{"/", `\|`, "#", ",", ":", "@", "%", "!"} {
		replaces = append(replaces, end+until(end)+until(end))
	}
	address := `(?:[0-9]+|\$|/` + until("/") + `)[ \t]*`
	step := `(?:` + address + `(?:,[ \t]*` + address + `)?)?!?[ \t]*(?:[pdq=]|s(?:` + strings.Join(replaces, "|") + `)[gpi0-9]*)[ \t]*`
	return `^[ \t\n;]*(?:` + step + `(?:[;\n][ \t\n;]*|$))*$`
}

// awkCalls are functions of awk that only calculate.
var awkCalls = words(`length substr index split sub gsub match tolower toupper sprintf int sqrt exp log sin cos atan2 rand srand gensub strftime systime
	if while for print printf return in`)

var awkCall = lazy.Regexp(`([A-Za-z_][A-Za-z_0-9]*)[ \t]*\(`)

// plainAwk says that a program of awk only calculates and prints.
func plainAwk(program string) bool {
	for _, word := range []string{"@", "getline", "ARGV", "ARGC", "ENVIRON", "PROCINFO", "SYMTAB", "FUNCTAB", "system", "\\\n"} {
		if strings.Contains(program, word) {
			return false
		}
	}
	if strings.Contains(strings.ReplaceAll(program, "||", ""), "|") {
		return false
	}
	if _, after, prints := strings.Cut(program, "print"); prints && strings.Contains(after, ">") {
		return false
	}
	for _, m := range awkCall().FindAllStringSubmatch(program, -1) {
		if !awkCalls.has(m[1]) {
			return false
		}
	}
	return true
}
