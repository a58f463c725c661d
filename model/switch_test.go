package model

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// switches is everything that one Stream said of switching, in order.
func switches(t *testing.T, m Model) string {
	var said []string
	for part, err := range m.Stream(t.Context(), ask("hi")) {
		switch p := part.(type) {
		case Retry:
			if p.Switch {
				said = append(said, fmt.Sprintf("%s>%s %s", p.From, p.Model, p.Err.Kind))
			}
		case Switch:
			said = append(said, fmt.Sprintf("%s>%s %s first", p.From, p.To, p.Reason))
		case Done:
			said = append(said, p.Model)
		}
		if err != nil {
			said = append(said, err.Error())
		}
	}
	return strings.Join(said, ", ")
}

// TestSwitchesAreSaid: whoever answers, the switches that were said lead to it:
// also where a model is not asked because it rests, and when it is asked again.
func TestSwitchesAreSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := byModel(t, map[string]step{"a": refuse(402, ""), "*": ok()})
		m := open(t, c, "test/a", "test/b")
		said := func(want string) {
			t.Helper()
			if got := switches(t, m); got != want {
				t.Errorf("said %s, want %s", got, want)
			}
		}
		said("a>b model_quota, b")
		said("b")
		if name := m.Info().Name; name != "b" {
			t.Errorf("while a rests, %s is described", name)
		}
		_ = pause(t.Context(), restFor-time.Nanosecond)
		said("b")
		m = open(t, c, "test/a", "test/b") // another run finds it resting
		said("a>b model_quota first, b")
		_ = pause(t.Context(), time.Nanosecond)
		if name := m.Info().Name; name != "a" {
			t.Errorf("after the rest, %s is described", name)
		}
		said("b>a rested first, a>b model_quota, b")
	})
}

// A model that has rested and works again is the first again, and is said so.
func TestSwitchBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := true
		c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
			var body [512]byte
			n, _ := r.Body.Read(body[:])
			if fail && strings.Contains(string(body[:n]), `"model":"a"`) {
				w.WriteHeader(http.StatusPaymentRequired)
				return
			}
			_, _ = w.Write([]byte(answerOK))
		})
		m := open(t, c, "test/a", "test/b")
		first := switches(t, m)
		fail = false
		_ = pause(t.Context(), restFor)
		if got := first + " | " + switches(t, m) + " | " + switches(t, m); got != "a>b model_quota, b | b>a rested first, a | a" {
			t.Error(got)
		}
	})
}

// Where all rest, all are asked, in their order.
func TestAllRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, asked := byModel(t, map[string]step{"a": refuse(402, ""), "b": refuse(404, "")})
		m := open(t, c, "test/a", "test/b")
		hear(t.Context(), m, ask("hi"))
		h := hear(t.Context(), m, ask("hi"))
		if len(*asked) != 4 || h.modelError().Kind != KindUnavailable || len(h.modelError().Attempts) != 2 {
			t.Errorf("asked %v: %v", *asked, h.err)
		}
	})
}

// One model at two providers: its name alone would not say which is meant.
func TestSameNameTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := byModel(t, map[string]step{"*": refuse(402, "")})
		other := c.Providers[0]
		other.Name, other.BaseURL = "other", "http://other.test/v1"
		c.Providers = append(c.Providers, other)
		m := open(t, c, "test/a", "other/a")
		h := hear(t.Context(), m, ask("hi"))
		if r := h.retries[0]; r.From != "test/a" || r.Model != "other/a" || !r.Switch {
			t.Errorf("said %+v", r)
		}
		var models []string
		for _, a := range h.modelError().Attempts {
			models = append(models, a.Model)
		}
		if got := strings.Join(models, " "); got != "test/a other/a" || !strings.Contains(h.err.Error(), " (test/a)") || !strings.Contains(h.err.Error(), " (other/a)") {
			t.Errorf("attempts of %s: %v", got, h.err)
		}
	})
}
