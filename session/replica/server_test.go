package replica_test

import (
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/session/replica/stream"
)

// started is a server on a port of this machine, which ends with the test; port -1 is any.
func started(t testing.TB, dir string, port int, change func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true, SyncInterval: time.Hour}
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { ended(s) })
	return s
}

func ended(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// reached is a connection to a server, which ends with the test.
func reached(t testing.TB, s *server.Server) *stream.Server {
	t.Helper()
	r, err := stream.New(stream.Options{URL: s.ClientURL(), Person: "p", Leases: time.Minute, Again: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	r.Begin()
	select {
	case <-r.Reconnected():
	case <-t.Context().Done():
	}
	return r
}

func portOf(s *server.Server) int { return s.Addr().(*net.TCPAddr).Port }
