// notrun reads what `go test -json` writes and shows what `go test` would: the end of
// each package, and of what failed all it wrote. Into the file that it is given it
// writes a line for each test that was skipped, and why: go test hides those of a
// package that passes. It lies here because nothing but .ci/check runs it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

type event struct {
	Action, Package, Test, Output string
}

var said = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`) // what a test logs, behind its place

func main() {
	lines := bufio.NewReader(os.Stdin)
	wrote := map[[2]string][]string{} // by package and test, while it runs
	var skipped []string
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			os.Stdout.WriteString(line) // of the go command itself
			continue
		}
		of := [2]string{e.Package, e.Test}
		switch {
		case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n":
			os.Stdout.WriteString(e.Output)
		case e.Action == "output" && strings.HasPrefix(e.Output, "=== "): // it begins, or goes on
		case e.Action == "output":
			wrote[of] = append(wrote[of], e.Output)
		case e.Action == "fail":
			os.Stdout.WriteString(strings.Join(wrote[of], ""))
			delete(wrote, of)
		case e.Action == "skip" && e.Test != "": // else a package without tests
			skipped = append(skipped, fmt.Sprintf("not run: %s: %s\n", e.Test, reason(wrote[of])))
			delete(wrote, of)
		case e.Action == "pass":
			delete(wrote, of)
		}
	}
	slices.Sort(skipped)
	if err := os.WriteFile(os.Args[1], []byte(strings.Join(skipped, "")), 0o600); err != nil {
		panic(err)
	}
}

// reason is the last thing that a skipped test has said.
func reason(wrote []string) string {
	for _, line := range slices.Backward(wrote) {
		if m := said.FindStringSubmatch(line); m != nil {
			return strings.TrimPrefix(m[1], "not run: ")
		}
	}
	return "it does not say why"
}
