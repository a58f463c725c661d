package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// asks answers questions with what it was given.
type asks struct {
	outputtest.Kept
	answers []tool.Reply
	asked   []tool.Inquiry
}

func (a *asks) Inquire(_ context.Context, from string, all []tool.Inquiry) ([]tool.Reply, bool, error) {
	a.asked = all
	return a.answers, from == "notes" && a.answers != nil, nil
}

func TestForms(t *testing.T) {
	word := func(text string) tool.Reply { return tool.Reply{Text: text} }
	pick := func(labels ...string) tool.Reply { return tool.Reply{Choices: labels} }
	for _, row := range []struct {
		message, schema string
		answers         []tool.Reply
		asked           int
		want            string
	}{
		{"Who?", `{"properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name"]}`, []tool.Reply{word("7"), word("Ann")}, 2, `{"action":"accept","content":{"age":7,"name":"Ann"}}`},
		{"Who?", `{"properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name"]}`, []tool.Reply{{}, word("Ann")}, 2, `{"action":"accept","content":{"name":"Ann"}}`},
		{"Who?", `{"properties":{"name":{"type":"string"}},"required":["name"]}`, []tool.Reply{{}}, 1, `{"action":"decline"}`},
		{"Who?", `{"properties":{"age":{"type":"integer"}}}`, []tool.Reply{word("seven")}, 1, `{"action":"decline"}`},
		{"Sure?", `{"properties":{"ok":{"type":"boolean"}}}`, []tool.Reply{pick("true")}, 1, `{"action":"accept","content":{"ok":true}}`},
		{"Which?", `{"properties":{"c":{"type":"string","oneOf":[{"const":"r","title":"Red"}]}}}`, []tool.Reply{pick("Red")}, 1, `{"action":"accept","content":{"c":"r"}}`},
		{"Which?", `{"properties":{"c":{"type":"string","enum":["r"]}}}`, []tool.Reply{word("blue")}, 1, `{"action":"decline"}`},
		{"Which?", `{"properties":{"c":{"type":"array","items":{"enum":["r","g"]}}}}`, []tool.Reply{pick("r", "g")}, 1, `{"action":"accept","content":{"c":["r","g"]}}`},
		{"Sure?", `{"properties":{}}`, []tool.Reply{pick("accept")}, 1, `{"action":"accept"}`},
		{"Sure?", `{"properties":{}}`, []tool.Reply{pick("decline")}, 1, `{"action":"decline"}`},
		{"Who?", `{"properties":{"name":{"type":"string"}}}`, nil, 1, `{"action":"cancel"}`},
		// What nobody types into a form is not asked, whatever it is called.
		{"Log in", `{"properties":{"password":{"type":"string"}}}`, []tool.Reply{word("x")}, 0, `{"action":"decline"}`},
		{"Log in", `{"properties":{"a":{"type":"string","title":"Your API-Key"}}}`, []tool.Reply{word("x")}, 0, `{"action":"decline"}`},
		{"Log in", `{"properties":{"a":{"type":"string","description":"the access_token"}}}`, []tool.Reply{word("x")}, 0, `{"action":"decline"}`},
		{"Log in", `{"properties":{"a":{"type":"string","writeOnly":true}}}`, []tool.Reply{word("x")}, 0, `{"action":"decline"}`},
		{"Log in", `{"properties":{"card_pin":{"type":"string"}}}`, []tool.Reply{word("x")}, 0, `{"action":"decline"}`},
		{"Who?", `{"properties":{"n":{"type":"string","description":"not your pin"}}}`, []tool.Reply{word("x")}, 1, `{"action":"accept","content":{"n":"x"}}`},
		{"What is your password?", `{"properties":{"a":{"type":"string"}}}`, []tool.Reply{word("x")}, 0, `{"action":"decline"}`},
	} {
		var schema any
		if err := json.Unmarshal([]byte(row.schema), &schema); err != nil {
			t.Fatal(err)
		}
		person := &asks{answers: row.answers}
		var calls callsAtWork
		_, end := calls.begin(t.Context(), person, waits(time.Hour, func() {}))
		r, err := calls.forms(t.Context(), "notes", &mcp.ElicitParams{Message: row.message, RequestedSchema: schema})
		end()
		got, _ := json.Marshal(r)
		if err != nil || string(got) != row.want || len(person.asked) != row.asked {
			t.Errorf("%s %s: %s, asked %v, %v", row.message, row.schema, got, person.asked, err)
		}
	}
}

// Nobody knows who is asked where no call is at work, or several are.
func TestFormsOfNobody(t *testing.T) {
	person := &asks{answers: []tool.Reply{{Text: "x"}}}
	var calls callsAtWork
	form := &mcp.ElicitParams{Message: "Who?", RequestedSchema: map[string]any{"properties": map[string]any{"name": map[string]any{"type": "string"}}}}
	for n := range 3 {
		r, err := calls.forms(t.Context(), "notes", form)
		if err != nil || (r.Action == accept) != (n == 1) {
			t.Errorf("%d calls: %+v %v", n, r, err)
		}
		calls.begin(t.Context(), person, waits(time.Hour, func() {}))
	}
}

// opener is a person before whom addresses can be opened.
type opener struct {
	asks
	opened []string
	fails  bool
}

func (o *opener) CanBrowse() bool { return true }

func (o *opener) Browse(_ context.Context, address string) bool {
	o.opened = append(o.opened, address)
	return !o.fails
}

// An address is opened after a yes to exactly that, whose host stands alone before it. What could
// pass for another address is not even asked about.
func TestAddresses(t *testing.T) {
	yes, no := []tool.Reply{{Choices: []string{accept}}}, []tool.Reply{{Choices: []string{decline}}}
	for _, row := range []struct {
		address string
		answers []tool.Reply
		asked   string // how the question begins, "" for none
		want    string
	}{
		{"https://pay.example/x?a=b#c", yes, "pay.example\nhttps://pay.example/x?a=b#c\n", accept},
		{"https://pay.example/x", no, "pay.example\n", decline},
		{"https://pay.example/x", []tool.Reply{{Text: "accept"}}, "pay.example\n", decline},
		{"https://pay.example/x", []tool.Reply{{}}, "pay.example\n", decline},
		{"https://pay.example/x", nil, "pay.example\n", cancel},
		{"http://127.0.0.1:8080/x", yes, "127.0.0.1:8080\n", accept},
		{"https://xn--pypal-4ve.com/", yes, "xn--pypal-4ve.com\n", accept},
		{"https://evil.example/https://good.example/@good.example", yes, "evil.example\n", accept},
		{"http://pay.example/x", yes, "", decline},
		{"https://good.example@evil.example/", yes, "", decline},
		{"https://good.example:x@evil.example/", yes, "", decline},
		{"https://p\u0430ypal.com/", yes, "", decline},
		{"https://pay.example\u3002evil.example/", yes, "", decline},
		{"https://good.example\\@evil.example/", yes, "", decline},
		{"https://evil.example/\u202egro.doog", yes, "", decline},
		{"https://good.example%2eevil.example/", yes, "", decline},
		{"https://good.example\n.evil.example/", yes, "", decline},
		{"https:good.example", yes, "", decline},
		{"https:///good.example", yes, "", decline},
		{"javascript://localhost/%0aalert(1)", yes, "", decline},
		{"file:///etc/passwd", yes, "", decline},
		{"vscode://a/b", yes, "", decline},
		{"https://long.example/" + strings.Repeat("a", longestAddress), yes, "", decline},
	} {
		person := &opener{asks: asks{answers: row.answers}}
		var calls callsAtWork
		_, end := calls.begin(t.Context(), person, waits(time.Hour, func() {}))
		r, err := calls.forms(t.Context(), "notes", &mcp.ElicitParams{Mode: "url", Message: "Pay, please.", URL: row.address})
		end()
		asked := ""
		if len(person.asked) > 0 {
			asked = person.asked[0].Text
		}
		if err != nil || r.Action != row.want || (row.asked == "") != (asked == "") || !strings.HasPrefix(asked, row.asked) {
			t.Errorf("%q: %s, asked %q, %v", row.address, r.Action, asked, err)
		}
		if opened := len(person.opened) > 0; opened != (row.want == accept) || opened && person.opened[0] != row.address {
			t.Errorf("%q: opened %q", row.address, person.opened)
		}
	}
}

// Where nothing opens addresses, or it did not work, the server is told that nothing was decided.
func TestAddressesOfNobody(t *testing.T) {
	yes := []tool.Reply{{Choices: []string{accept}}}
	for _, person := range []tool.Sink{&asks{answers: yes}, &opener{asks: asks{answers: yes}, fails: true}} {
		var calls callsAtWork
		calls.begin(t.Context(), person, waits(time.Hour, func() {}))
		r, err := calls.forms(t.Context(), "notes", &mcp.ElicitParams{Mode: "url", URL: "https://pay.example/"})
		if err != nil || r.Action != cancel {
			t.Errorf("%T: %+v %v", person, r, err)
		}
	}
}
