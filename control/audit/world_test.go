package audit

import (
	"os"
	"os/exec"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// process is this binary again, to run what one test of it does with this
// environment.
func process(test string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run", "^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// What happens at the edge of each number stands in the tests beside it, which
// take it from the code: here it is written a second time.
func TestNumbersOfTheSpecification(t *testing.T) {
	if maxFile != 10*1024*1024 || maxText != 4096 {
		t.Error(maxFile, maxText)
	}
}
