package mcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

func TestNames(t *testing.T) {
	server, _ := badServerOf(t, "bad names")
	w := newWorld(t, "")
	seen := map[string]bool{}
	for _, of := range w.start(server) {
		spec := of.Spec()
		if name := spec.Name; len(name) > tool.MaxName || !strings.HasPrefix(name, "mcp__bad__") || tool.PlainName(name, 100) != name || strings.Contains(name, ".") || seen[strings.ToLower(name)] {
			t.Errorf("%q", name)
		}
		seen[strings.ToLower(spec.Name)] = true
		says := spec.Description[strings.Index(spec.Description, "«"):]
		if len(says) > serverWords+len("«…»") || strings.ContainsRune(spec.Description, '\u202e') || strings.Count(spec.Description, "«") != 1 || strings.Count(spec.Description, "»") != 1 {
			t.Errorf("%q", spec.Description)
		}
	}
	if len(seen) != 11 || !seen["mcp__bad__task"] || !seen["mcp__bad__ok"] || !seen["mcp__bad__ok_2"] || !seen["mcp__bad__ok_3"] {
		t.Errorf("%v", seen)
	}
}

// Names of two servers never meet, whoever is configured first and whatever they list.
func TestServersMeet(t *testing.T) {
	long := strings.Repeat("s", 29)
	servers := []Server{{Name: "a"}, {Name: "a__b"}, {Name: "A"}, {Name: "a_b"}, {Name: "a-b"}, {Name: "A_B"}, {Name: "a_"}, {Name: "a-"}, {Name: "_"},
		{Name: long + "_a"}, {Name: long + "_b"}, {Name: "Alone"}}
	servers = append(servers, Server{Name: written("a__b", servers)}, Server{Name: strings.ToUpper(written("a__b", servers))})
	backwards := slices.Clone(servers)
	slices.Reverse(backwards)
	seen := map[string]string{}
	for _, s := range servers {
		as := written(s.Name, servers)
		if as != written(s.Name, backwards) {
			t.Errorf("%s depends on the order", s.Name)
		}
		for _, own := range []string{"b__c", "c", "_c", "__c", "C", "x.y", ""} {
			for _, name := range namesOf(as, []string{own}) {
				of := s.Name + "/" + strings.ToLower(own)
				if was, there := seen[strings.ToLower(name)]; there && was != of || len(name) > tool.MaxName {
					t.Errorf("%s is of %s and %s", name, was, of)
				}
				seen[strings.ToLower(name)] = of
			}
		}
	}
	for name, want := range map[string]string{"a": "a", "a-b": "a-b", "Alone": "Alone", "notes-20250101": "notes-20250101"} {
		if got := written(name, servers); got != want {
			t.Errorf("%s is written %s", name, got)
		}
	}
	if Owns("a", nameOf(written("a__b", servers), "c"), servers) || !Owns("A", nameOf(written("A", servers), "c"), servers) {
		t.Error("a tool is of another server")
	}
}

// A server may list its tools in any order.
func TestNamesDoNotDependOnTheOrder(t *testing.T) {
	one, other := namesOf("s", []string{"x", "X", "y"}), namesOf("s", []string{"y", "X", "x"})
	if one[0] != other[2] || one[1] != other[1] || one[2] != other[0] || strings.EqualFold(one[0], one[1]) {
		t.Errorf("%v %v", one, other)
	}
}

// What is judged has the server's own words; a call goes to the server that has the tool.
func TestMeetingServersAreCalled(t *testing.T) {
	w := newWorld(t, "")
	var config []Server
	for _, name := range []string{"a__b", "A", "a"} {
		server, _ := badServerOf(t, "environment")
		server.Name, server.Env["TERM"] = name, "of-"+name
		config = append(config, server)
	}
	tools := w.start(config...)
	if len(tool.NewSet(tools...).Names()) != 3 {
		t.Fatalf("%v", tool.NewSet(tools...).Names())
	}
	for _, one := range tools {
		object := outputtest.Plan(t, one, `{}`).Targets[0].Object
		name := strings.TrimSuffix(strings.TrimPrefix(object, "mcp:"), "/echo")
		if r := outputtest.Run(t, one, `{}`); !strings.Contains(r.Text, "TERM=of-"+name+" ") && !strings.Contains(r.Text, "TERM=of-"+name+"\n") {
			t.Errorf("%s: %s", object, r.Text)
		}
	}
}

// The names at their edge: 64 characters are what providers take.
func TestNameLength(t *testing.T) {
	front := len("mcp__bad__")
	for _, n := range []int{tool.MaxName - front - 1, tool.MaxName - front, tool.MaxName - front + 1} {
		own := strings.Repeat("n", n)
		names := namesOf("bad", []string{own, own, own})
		for i, name := range names {
			if len(name) > tool.MaxName || i > 0 && name == names[i-1] {
				t.Errorf("%d: %v", n, names)
			}
		}
		if whole := names[0] == "mcp__bad__"+own; whole != (front+n <= tool.MaxName) {
			t.Errorf("%d: %s", n, names[0])
		}
	}
	longest := strings.Repeat("s", 32)
	if a, b := nameOf(longest, strings.Repeat("n", 90)+"a"), nameOf(longest, strings.Repeat("n", 90)+"b"); a == b || len(a) != tool.MaxName {
		t.Errorf("%s %s", a, b)
	}
}

// A changed number is a changed decision.
func TestNumbers(t *testing.T) {
	if serverWords != 1024 {
		t.Errorf("a server's description has %d bytes, not 1 KiB", serverWords)
	}
}
