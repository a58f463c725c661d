package store

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// Whichever way a session came, that it was made is written down, and where its audit
// ended when it was deleted. One that ends with the process is nobody's loss.
func TestSessionsAreAudited(t *testing.T) {
	st := newStore(t)
	home := st.deps.Home
	st.deps.Audits = audits{t, home}
	begin(t, st)
	forked, err := st.Fork("0001", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Adopt("", func(p Place) error { writeLog(t, st, p.ID, openedMain); return nil }); err != nil {
		t.Fatal(err)
	}
	passing, _, err := st.New(session.NewSession{Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	hash, err := st.deps.Audits.Audit(forked.ID()).Append(audit.Entry{SessionID: forked.ID()})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{forked.ID(), passing.ID(), "0009"} {
		if err := st.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	found, err := audit.Sessions(home)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range found {
		state := "is there"
		if s.Deleted {
			state = strings.Join(s.Hashes, " ")
		}
		got = append(got, s.Workspace+"/"+s.ID+" "+state)
	}
	if want := "w/0001 is there, w/0002 " + hash + ", w/0003 is there"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if n, err := audit.Verify(audit.SessionsPath(home)); n != 4 || err != nil {
		t.Error(n, err)
	}
}

// audits are those of a home.
type audits struct {
	t    *testing.T
	home string
}

func (a audits) open(path string) *audit.Log {
	log, err := audit.Open(nil, path)
	if err != nil {
		a.t.Fatal(err)
	}
	return log
}

func (a audits) AuditSessions() *audit.Log { return a.open(audit.SessionsPath(a.home)) }

func (a audits) Audit(id string) *audit.Log { return a.open(audit.Path(a.home, "w", id)) }
