package scriptmodel_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// slow is a client that takes a while for each write that says something.
type slow struct {
	*httptest.ResponseRecorder
	wait time.Duration
}

func (s slow) Write(b []byte) (int, error) {
	<-time.After(s.wait) // of the bubble: nobody really waits
	return s.ResponseRecorder.Write(b)
}

// The pieces come as often as the script says, also where each takes a part of
// that time; a stall moves what follows, and nothing is made up for it.
func TestModelKeepsItsPace(t *testing.T) {
	for _, test := range []struct {
		name, script string
		write, want  time.Duration
	}{
		{"at once", "pace 10ms\nsay " + strings.Repeat("w ", 20) + "w", 0, 210 * time.Millisecond},
		{"slowly", "pace 10ms\nsay " + strings.Repeat("w ", 20) + "w", 4 * time.Millisecond, 230 * time.Millisecond},
		{"with a stall", "pace 10ms\nsay a b c d e\nstall 1s\nsay f g h i j", 0, 1100 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, err := scriptmodel.New(test.script)
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(hello))
				m.ServeHTTP(slow{httptest.NewRecorder(), test.write}, r)
				if took := time.Since(began); took < test.want-20*time.Millisecond || took > test.want+20*time.Millisecond {
					t.Errorf("it took %v, not %v", took, test.want)
				}
			})
		})
	}
}
