package web

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		os.Setenv(name, "http://127.0.0.1:1") // nobody obeys it
	}
	goleak.VerifyTestMain(m)
}
