package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agent-sidecar/agent-sidecar/testclient"
)

// copiesServer is a server for copies, which ends with the test.
func copiesServer(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true, Username: "me", Password: "pw"})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return "nats://" + s.Addr().String()
}

// anyServer is what a configuration says of a server for copies that is started with the
// program.
const anyServer = "nats://127.0.0.1:0"

// withCopies starts the server that a configuration wants, and puts its address there.
func withCopies(t *testing.T, e testclient.Env) error {
	path := filepath.Join(e.Home, ".agent-sidecar", "config.jsonc")
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), anyServer) {
		return nil
	}
	return os.WriteFile(path, []byte(strings.ReplaceAll(string(raw), anyServer, copiesServer(t))), 0o600)
}
