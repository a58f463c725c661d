package control

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

func TestOffers(t *testing.T) {
	offered := func(f Facts, p *tool.Plan) string {
		var out []string
		for _, o := range decide(f, p).Always {
			out = append(out, o.ID+" "+o.Label)
		}
		return strings.Join(out, " | ")
	}
	here := "Always in this workspace: "
	for command, want := range map[string]string{
		"./deploy --all":             "a1 " + here + "./deploy --all",
		"go test ./...":              "a1 " + here + "go test ./... | a2 " + here + "go test *",
		"go test -exec x ./...":      "a1 " + here + "go test -exec x ./...",
		"git status":                 "a1 " + here + "git status | a2 " + here + "git status *",
		"ls -la":                     "a1 " + here + "ls -la | a2 " + here + "ls * | a3 Always, in every folder: ls -la",
		"./ls -la":                   "a1 " + here + "./ls -la",
		"python x.py":                "a1 " + here + "python x.py",
		"sudo ls":                    "",
		"bash x.sh":                  "",
		"env ls":                     "",
		"xargs ls":                   "",
		"find . -name x":             "",
		"echo $x; ./deploy $x":       "",
		"go test ./... && make lint": "a1 " + here + "go test ./... + make lint",
		"go test ./... | tail -5":    "a1 " + here + "go test ./... + tail -5 | a2 " + here + "go test * + tail *",
		"a; b; c; d; e":              "",
		"cat .env":                   "", // two domains ask
		"rm -rf build":               "a1 " + here + "rm -rf build",
		"timeout 5 go test ./...":    "a1 " + here + "go test ./... | a2 " + here + "go test *",
		"echo '\u202e'":              "",
	} {
		if got := offered(baseFacts(), bashPlan(command)); got != want {
			t.Errorf("%s\n got %s\nwant %s", command, got, want)
		}
	}
	for object, want := range map[string]string{
		"read fs:/usr/share/doc/x": "a1 Always in this workspace: /usr/share/doc/x | a2 Always, in every folder: /usr/share/doc/x | a3 Always in this workspace: /usr/share/doc/**",
		"read fs:/home/u/x":        "a1 Always in this workspace: /home/u/x | a2 Always, in every folder: /home/u/x",
		"read vault:/.env":         "a1 Always in this workspace: .env",
		"edit vault:/.envrc":       "a1 Always in this workspace: .envrc",
		"mcp mcp:s/t":              "a1 Always, in every folder: mcp:s/t",
		"tool tool:x":              "a1 " + here + "tool:x",
		"doom_loop x":              "",
		"config x":                 "",
	} {
		domain, o, _ := strings.Cut(object, " ")
		if got := offered(baseFacts(), filePlan(domain, o)); got != want {
			t.Errorf("%s\n got %s\nwant %s", object, got, want)
		}
	}
}

func TestNoOfferOverTwoDomains(t *testing.T) {
	p := &tool.Plan{Tool: "move", Effect: tool.Write, Targets: []tool.Target{{Domain: "read", Object: "fs:/x/y"}, {Domain: "edit", Object: "vault:/.envrc"}}}
	if d := decide(baseFacts(), p); d.Verdict != Ask || d.OnceOnly || len(d.Always) > 0 {
		t.Errorf("%+v", d)
	}
}

// What an offer shows is what it stores, and storing it answers the question.
func TestOffersAnswerTheirOwnQuestion(t *testing.T) {
	for _, command := range []string{"go test ./...", "go test ./... | tail -5", "./deploy 'a b' \"c\"", "timeout 5 go test ./...", "cd src && go test .", "rm -rf build"} {
		d := decide(baseFacts(), bashPlan(command))
		for _, o := range d.Always {
			f := baseFacts()
			f.Layers = append(f.Layers, Layer{Source: "always", Rules: o.Stored()})
			if again := decide(f, bashPlan(command)); again.Verdict != Allow {
				t.Errorf("%s: after %q: %s", command, o.Label, again.Reason)
			}
			f.Workspace = "w-2"
			if again := decide(f, bashPlan(command)); o.Workspace != "" && again.Verdict == Allow {
				t.Errorf("%s: %q holds in another workspace", command, o.Label)
			}
		}
		if len(d.Always) == 0 {
			t.Errorf("%s: nothing is offered", command)
		}
	}
}
