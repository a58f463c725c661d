package mcp

import (
	"fmt"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

func TestRefusesWhatServersAsk(t *testing.T) {
	_, echo, file := one(t, "asks")
	outputtest.Run(t, echo, `{}`)
	for _, id := range []string{"s1", "s2", "s3"} {
		waitForFile(t, file, fmt.Sprintf("%q {\"code\":-32601", id))
	}
	waitForFile(t, file, `"s4" `+"\n") // a ping is no question
}
