package rpc

import (
	"os"
	"regexp"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
)

// Every reason of a conflict that has a name has words.
func TestReasonsHaveWords(t *testing.T) {
	source, err := os.ReadFile("../tool/conflict.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`Reason = "(\w+)"`).FindAllSubmatch(source, -1)
	if len(named) < 16 {
		t.Fatalf("%d reasons were found", len(named))
	}
	for _, m := range named {
		if name := string(m[1]); locale.Conflict("", name) == name {
			t.Errorf("%s has no words", name)
		}
	}
	if got := locale.Conflict("zh-cn", "permission denied"); got != "permission denied" {
		t.Errorf("%q", got)
	}
}
