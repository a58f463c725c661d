// tests runs `go test` with the arguments that it is given, and prints what that would. Of
// packages that pass, go test hides which tests were skipped, and what the others have
// counted: both are at the end, from the cache as well.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

type event struct {
	Action, Package, Test, Output string
}

var (
	said    = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`) // what a test logs, behind its place
	counted = regexp.MustCompile(`recorded editors$|recordings yield| deaths| kills,| requests, | summaries, |random scripts from seed|^sandbox level .*: tested`)
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// run gives the exit code of go test.
func run(args []string) (int, error) {
	cmd := exec.Command(cmp.Or(os.Getenv("GO"), "go"), append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	var t tests
	reading := t.read(out)
	var ended *exec.ExitError
	err = cmd.Wait()
	if errors.As(err, &ended) {
		err = nil
	}
	t.tell()
	return cmd.ProcessState.ExitCode(), errors.Join(reading, err)
}

// tests are what is said at the end.
type tests struct {
	counts, skipped []string
}

// read prints as the events come: the end of each package, and of what failed all it wrote.
func (t *tests) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	wrote := map[[2]string][]string{} // by package and test, while it runs
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			if err == io.EOF {
				return nil
			}
			return err
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
			t.skipped = append(t.skipped, fmt.Sprintf("not run: %s: %s", e.Test, reason(wrote[of])))
			delete(wrote, of)
		case e.Action == "pass":
			t.keep(e.Test, wrote[of])
			delete(wrote, of)
		}
	}
}

// keep remembers what a test that passed has counted, and what it says was not run of it.
func (t *tests) keep(test string, wrote []string) {
	for _, line := range wrote {
		m := said.FindStringSubmatch(line)
		switch {
		case m == nil:
		case strings.HasPrefix(m[1], "not run: "):
			t.skipped = append(t.skipped, fmt.Sprintf("not run: of %s: %s", test, strings.TrimPrefix(m[1], "not run: ")))
		case counted.MatchString(m[1]):
			t.counts = append(t.counts, fmt.Sprintf("%s: %s", test, m[1]))
		}
	}
}

func (t *tests) tell() {
	slices.Sort(t.counts)
	slices.Sort(t.skipped)
	for _, line := range slices.Concat(t.counts, t.skipped) {
		fmt.Println(line)
	}
	fmt.Printf("tests that were skipped, or parts of them: %d\n", len(t.skipped))
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
