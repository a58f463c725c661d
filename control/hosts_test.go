package control

import "testing"

// Which rules open a development server: those that name the very host, and for a
// name that others can point anywhere only where it is certain who answers.
func TestRulesThatOpenAHost(t *testing.T) {
	const config, always, session, settings = "config", "always", "session", "settings"
	for _, row := range []struct {
		source, pattern, decision string
		object                    string
		want                      bool
	}{
		{config, "url:http://localhost:3000/*", "allow", "url:http://localhost:3000/x", true},
		{config, "localhost:3000", "allow", "url:http://localhost:3000/x", true},
		{config, "http://localhost:3000", "allow", "url:http://localhost:3000/", true},
		{always, "url:http://localhost:3000/*", "allow", "url:http://localhost:3000/x", true},
		{session, "url:http://localhost:3000/*", "allow", "url:http://localhost:3000/x", true},
		{settings, "url:*://localhost:8080/*", "allow", "url:http://localhost:8080/x", true},
		{config, "url:http://127.0.0.1:3000/*", "allow", "url:http://127.0.0.1:3000/x", true},
		{config, "url:http://[::1]:3000/*", "allow", "url:http://[::1]:3000/x", true},
		{config, "url:http://192.168.1.5/*", "allow", "url:http://192.168.1.5/x", true},
		{config, "url:http://app.test/*", "allow", "url:http://app.test/x", true},
		{config, "url:http://devbox/*", "allow", "url:http://devbox/x", true},
		{config, "url:http://dev.home.arpa/*", "allow", "url:http://dev.home.arpa/x", true},

		// Wildcards, expressions and everything name no host.
		{config, "*", "allow", "url:http://localhost:3000/x", false},
		{config, "url:*", "allow", "url:http://localhost:3000/x", false},
		{config, "url:http://localhost:*/*", "allow", "url:http://localhost:3000/x", false},
		{config, "url:http://*:3000/*", "allow", "url:http://localhost:3000/x", false},
		{config, "localhos?:3000", "allow", "url:http://localhost:3000/x", false},
		{config, "regex:localhost", "allow", "url:http://localhost:3000/x", false},
		{BuiltIn, "*", "allow", "url:http://localhost:3000/x", false},
		// Rules about something else, or that do not allow.
		{config, "url:http://localhost:3000/*", "ask", "url:http://localhost:3000/x", false},
		{config, "url:http://localhost:3000/*", "deny", "url:http://localhost:3000/x", false},
		{config, "url:http://localhost:3000/*", "what", "url:http://localhost:3000/x", false},
		{config, "url:http://localhost/*", "allow", "url:http://localhost:3000/x", false},
		{config, "url:https://localhost:3000/*", "allow", "url:http://localhost:3000/x", false},
		{config, "url:http://localhost:3000/app/*", "allow", "url:http://localhost:3000/x", false},
		{config, "url:http://127.0.0.1:3000/*", "allow", "url:http://localhost:3000/x", false},
		{config, "url:http://evil.example/?localhost:3000/*", "allow", "url:http://localhost:3000/x", false},
		// A public name: whoever answers for it must prove it, or the port be spelled out
		// by the user, not by an answer about a page that lay elsewhere then.
		{config, "url:https://go.dev/*", "allow", "url:https://go.dev/x", true},
		{config, "url:http://go.dev/*", "allow", "url:http://go.dev/x", false},
		{settings, "url:*://go.dev/*", "allow", "url:http://go.dev/x", false},
		{always, "url:http://go.dev:8080/*", "allow", "url:http://go.dev:8080/x", false},
		{session, "url:http://go.dev:8080/*", "allow", "url:http://go.dev:8080/x", false},
		{config, "url:http://go.dev:8080/*", "allow", "url:http://go.dev:8080/x", true},
		{config, "url:http://localhost.go.dev/*", "allow", "url:http://localhost.go.dev/x", false},
		{config, "url:http://127.0.0.1.go.dev/*", "allow", "url:http://127.0.0.1.go.dev/x", false},
	} {
		f := baseFacts()
		f.Layers = append(f.Layers, Layer{Source: row.source, Rules: []Rule{{Domain: "web_fetch", Pattern: row.pattern, Decision: row.decision}}})
		if got := decide(f, filePlan("web_fetch", row.object)); got.Opens != row.want {
			t.Errorf("%s %s %s for %s: opens %v (%s)", row.source, row.decision, row.pattern, row.object, got.Opens, got.Reason)
		}
	}
	f := baseFacts(rule("web_fetch", "url:http://localhost:3000/*", "allow"), rule("web_fetch", "url:http://localhost:3000/asked*", "ask"))
	if d := decide(f, filePlan("web_fetch", "url:http://localhost:3000/asked")); d.Verdict != Ask || !d.Opens {
		t.Errorf("a question does not close what a rule opens: %+v", d)
	}
	f = baseFacts(Rule{Domain: "web_fetch", Pattern: "localhost:3000", Decision: "allow", Workspace: "another"})
	if decide(f, filePlan("web_fetch", "url:http://localhost:3000/")).Opens {
		t.Error("a rule of another workspace opens")
	}
	inline := Layer{Source: "inline", Narrows: true, Rules: []Rule{{Domain: "web_fetch", Pattern: "localhost:3000", Decision: "allow"}}}
	f = baseFacts(rule("web_fetch", "*", "ask"))
	f.Layers = append(f.Layers, inline)
	if decide(f, filePlan("web_fetch", "url:http://localhost:3000/")).Opens {
		t.Error("settings that nobody said yes to open")
	}
}

// An answer for the session is about the host of a page, about anything else it is
// exact. It is enough in a tainted session; another host asks again.
func TestGrantOfAPage(t *testing.T) {
	granted := func(domain, object string) Rule {
		return GrantsOf(Decision{Targets: filePlan(domain, object).Targets})[0]
	}
	grant := granted("web_fetch", "url:https://docs.example:8443/a?b")
	f := baseFacts()
	f.Tainted, f.Grants = true, []Rule{grant}
	for object, want := range map[string]Verdict{
		"url:https://docs.example:8443/a?b": Allow, "url:https://docs.example:8443/other?q=1": Allow,
		"url:https://docs.example/a": Ask, "url:http://docs.example:8443/a": Ask, "url:https://evil.example/docs.example:8443/": Ask, "url:https://a.docs.example:8443/": Ask,
	} {
		if d := decide(f, filePlan("web_fetch", object)); d.Verdict != want || len(d.Always) > 0 {
			t.Errorf("%s: %v %s", object, d.Verdict, d.Reason)
		}
	}
	f.Rules = nil
	f.Layers = append(f.Layers, Layer{Source: "config", Rules: []Rule{rule("web_fetch", "docs.example:8443/secret*", "deny")}})
	if d := decide(f, filePlan("web_fetch", "url:https://docs.example:8443/secret")); d.Verdict != Deny {
		t.Error("an answer beats a rule that denies")
	}
	if g := granted("web_search", "query:a*b"); g.Pattern != "query:a*b" || !g.Exact {
		t.Error(g)
	}
	if g := granted("web_fetch", "url:https://*/"); !g.Exact {
		t.Error(g)
	}
}
