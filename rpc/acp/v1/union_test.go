package v1_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/testclient/acpschema"
)

func official(t *testing.T) *acpschema.Schema {
	t.Helper()
	raw, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := acpschema.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at[T any](v T) *T { return &v }

func text(s string) v1.ContentBlock { return v1.ContentBlock{Text: &v1.TextContent{Text: s}} }

// example is a value and its only text.
type example struct {
	definition string
	value      any
	text       string
}

var examples = []example{
	{"AuthMethod", v1.AuthMethod{Terminal: &v1.AuthMethodTerminal{ID: "t", Name: "Set up", Args: []string{"setup"}, Env: map[string]string{"A": "b"}}}, `{"type":"terminal","id":"t","name":"Set up","args":["setup"],"env":{"A":"b"}}`},
	{"AuthMethod", v1.AuthMethod{Agent: &v1.AuthMethodAgent{ID: "environment", Name: "Key", Description: "looks again"}}, `{"id":"environment","name":"Key","description":"looks again"}`},
	{"ContentBlock", text("a < b && c"), `{"type":"text","text":"a < b && c"}`},
	{"ContentBlock", v1.ContentBlock{Text: &v1.TextContent{Annotations: &v1.Annotations{Audience: []v1.Role{v1.RoleUser}, Priority: at(0.5)}, Meta: json.RawMessage(`{"a":1}`)}}, `{"type":"text","annotations":{"audience":["user"],"priority":0.5},"text":"","_meta":{"a":1}}`},
	{"ContentBlock", v1.ContentBlock{Image: &v1.ImageContent{Data: "AA==", MIMEType: "image/png"}}, `{"type":"image","data":"AA==","mimeType":"image/png"}`},
	{"ContentBlock", v1.ContentBlock{Audio: &v1.AudioContent{Data: "AA==", MIMEType: "audio/wav"}}, `{"type":"audio","data":"AA==","mimeType":"audio/wav"}`},
	{"ContentBlock", v1.ContentBlock{ResourceLink: &v1.ResourceLink{Name: "a.go", URI: "file:///a.go#L10-20", Size: at(0)}}, `{"type":"resource_link","name":"a.go","size":0,"uri":"file:///a.go#L10-20"}`},
	{"ContentBlock", v1.ContentBlock{Resource: &v1.EmbeddedResource{Resource: v1.EmbeddedResourceResource{Text: &v1.TextResourceContents{Text: "x", URI: "file:///x"}}}}, `{"type":"resource","resource":{"text":"x","uri":"file:///x"}}`},
	{"EmbeddedResourceResource", v1.EmbeddedResourceResource{Text: &v1.TextResourceContents{URI: "u"}}, `{"text":"","uri":"u"}`},
	{"EmbeddedResourceResource", v1.EmbeddedResourceResource{Blob: &v1.BlobResourceContents{Blob: "AA==", MIMEType: "a/b", URI: "u"}}, `{"blob":"AA==","mimeType":"a/b","uri":"u"}`},
	{"CreateElicitationRequest", v1.CreateElicitationRequest{Message: "Which?", Form: &v1.ElicitationFormMode{RequestedSchema: v1.ElicitationSchema{Title: "T", Properties: map[string]v1.ElicitationPropertySchema{"a": {Boolean: &v1.BooleanPropertySchema{Default: at(false)}}}, Required: []string{"a"}}, Session: &v1.ElicitationSessionScope{SessionID: "s", ToolCallID: "c"}}}, `{"message":"Which?","mode":"form","requestedSchema":{"title":"T","properties":{"a":{"type":"boolean","default":false}},"required":["a"]},"sessionId":"s","toolCallId":"c"}`},
	{"CreateElicitationRequest", v1.CreateElicitationRequest{Message: "Go there", Meta: json.RawMessage(`{}`), URL: &v1.ElicitationURLMode{ElicitationID: "e", URL: "https://a/", Request: &v1.ElicitationRequestScope{RequestID: json.RawMessage("7")}}}, `{"message":"Go there","_meta":{},"mode":"url","elicitationId":"e","url":"https://a/","requestId":7}`},
	{"ElicitationFormMode", v1.ElicitationFormMode{Request: &v1.ElicitationRequestScope{RequestID: json.RawMessage(`"a"`)}}, `{"requestedSchema":{},"requestId":"a"}`},
	{"ElicitationFormMode", v1.ElicitationFormMode{Session: &v1.ElicitationSessionScope{SessionID: "s"}}, `{"requestedSchema":{},"sessionId":"s"}`},
	{"ElicitationUrlMode", v1.ElicitationURLMode{ElicitationID: "e", URL: "https://a/", Session: &v1.ElicitationSessionScope{SessionID: "s"}}, `{"elicitationId":"e","url":"https://a/","sessionId":"s"}`},
	{"ElicitationUrlMode", v1.ElicitationURLMode{ElicitationID: "e", URL: "https://a/", Request: &v1.ElicitationRequestScope{RequestID: json.RawMessage("null")}}, `{"elicitationId":"e","url":"https://a/","requestId":null}`},
	{"ElicitationPropertySchema", v1.ElicitationPropertySchema{String: &v1.StringPropertySchema{Format: v1.StringFormatDateTime, MinLength: at(0), Default: at(""), OneOf: []v1.EnumOption{{Const: "a", Title: "A"}}}}, `{"type":"string","minLength":0,"format":"date-time","default":"","oneOf":[{"const":"a","title":"A"}]}`},
	{"ElicitationPropertySchema", v1.ElicitationPropertySchema{Number: &v1.NumberPropertySchema{Minimum: at(0.0)}}, `{"type":"number","minimum":0}`},
	{"ElicitationPropertySchema", v1.ElicitationPropertySchema{Integer: &v1.IntegerPropertySchema{Maximum: at(9)}}, `{"type":"integer","maximum":9}`},
	{"ElicitationPropertySchema", v1.ElicitationPropertySchema{Boolean: &v1.BooleanPropertySchema{Title: "B"}}, `{"type":"boolean","title":"B"}`},
	{"ElicitationPropertySchema", v1.ElicitationPropertySchema{Array: &v1.MultiSelectPropertySchema{Items: v1.MultiSelectItems{Titled: &v1.TitledMultiSelectItems{AnyOf: []v1.EnumOption{{Const: "a", Title: "A"}}}}}}, `{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}`},
	{"MultiSelectItems", v1.MultiSelectItems{String: &v1.StringMultiSelectItems{Enum: []string{"a"}}}, `{"type":"string","enum":["a"]}`},
	{"MultiSelectItems", v1.MultiSelectItems{Titled: &v1.TitledMultiSelectItems{AnyOf: []v1.EnumOption{}}}, `{"anyOf":[]}`},
	{"CreateElicitationResponse", v1.CreateElicitationResponse{Accept: &v1.ElicitationAcceptAction{Content: map[string]json.RawMessage{"a": json.RawMessage(`["b"]`)}}}, `{"action":"accept","content":{"a":["b"]}}`},
	{"CreateElicitationResponse", v1.CreateElicitationResponse{Decline: &struct{}{}}, `{"action":"decline"}`},
	{"CreateElicitationResponse", v1.CreateElicitationResponse{Meta: json.RawMessage(`{}`), Cancel: &struct{}{}}, `{"_meta":{},"action":"cancel"}`},
	{"McpServer", v1.MCPServer{HTTP: &v1.MCPServerHTTP{Name: "h", URL: "https://h/", Headers: []v1.HTTPHeader{{Name: "A", Value: "b"}}}}, `{"type":"http","name":"h","url":"https://h/","headers":[{"name":"A","value":"b"}]}`},
	{"McpServer", v1.MCPServer{SSE: &v1.MCPServerSSE{Name: "h", URL: "https://h/", Headers: []v1.HTTPHeader{}}}, `{"type":"sse","name":"h","url":"https://h/","headers":[]}`},
	{"McpServer", v1.MCPServer{ACP: &v1.MCPServerACP{Name: "a", ServerID: "1"}}, `{"type":"acp","name":"a","serverId":"1"}`},
	{"McpServer", v1.MCPServer{Stdio: &v1.MCPServerStdio{Name: "s", Command: "/bin/s", Args: []string{"-x"}, Env: []v1.EnvVariable{{Name: "K", Value: "v"}}}}, `{"name":"s","command":"/bin/s","args":["-x"],"env":[{"name":"K","value":"v"}]}`},
	{"RequestPermissionOutcome", v1.RequestPermissionOutcome{Cancelled: &struct{}{}}, `{"outcome":"cancelled"}`},
	{"RequestPermissionOutcome", v1.RequestPermissionOutcome{Selected: &v1.SelectedPermissionOutcome{OptionID: "once"}}, `{"outcome":"selected","optionId":"once"}`},
	{"SessionConfigOption", v1.SessionConfigOption{ID: "model", Name: "Model", Category: v1.SessionConfigOptionCategoryModel, Select: &v1.SessionConfigSelect{CurrentValue: "a", Options: v1.SessionConfigSelectOptions{Options: []v1.SessionConfigSelectOption{{Value: "a", Name: "A"}}}}}, `{"id":"model","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]}`},
	{"SessionConfigOption", v1.SessionConfigOption{ID: "m", Name: "M", Select: &v1.SessionConfigSelect{Options: v1.SessionConfigSelectOptions{Groups: []v1.SessionConfigSelectGroup{{Group: "g", Name: "G", Options: []v1.SessionConfigSelectOption{}}}}}}, `{"id":"m","name":"M","type":"select","currentValue":"","options":[{"group":"g","name":"G","options":[]}]}`},
	{"SessionConfigOption", v1.SessionConfigOption{ID: "f", Name: "F", Category: "_own", Boolean: &v1.SessionConfigBoolean{}}, `{"id":"f","name":"F","category":"_own","type":"boolean","currentValue":false}`},
	{"SetSessionConfigOptionRequest", v1.SetSessionConfigOptionRequest{SessionID: "s", ConfigID: "f", Boolean: &v1.SetSessionConfigOptionRequestBoolean{}}, `{"sessionId":"s","configId":"f","type":"boolean","value":false}`},
	{"SetSessionConfigOptionRequest", v1.SetSessionConfigOptionRequest{SessionID: "s", ConfigID: "model", Select: &v1.SetSessionConfigOptionRequestSelect{Value: "a"}}, `{"sessionId":"s","configId":"model","value":"a"}`},
	{"ToolCallContent", v1.ToolCallContent{Content: &v1.Content{Content: text("x")}}, `{"type":"content","content":{"type":"text","text":"x"}}`},
	{"ToolCallContent", v1.ToolCallContent{Diff: &v1.Diff{Path: "/a", NewText: "n"}}, `{"type":"diff","path":"/a","newText":"n"}`},
	{"ToolCallContent", v1.ToolCallContent{Diff: &v1.Diff{Path: "/a", OldText: at("")}}, `{"type":"diff","path":"/a","oldText":"","newText":""}`},
	{"ToolCallContent", v1.ToolCallContent{Terminal: &v1.Terminal{TerminalID: "t"}}, `{"type":"terminal","terminalId":"t"}`},
	{"SessionUpdate", v1.SessionUpdate{UserMessageChunk: &v1.ContentChunk{Content: text("u")}}, `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"u"}}`},
	{"SessionUpdate", v1.SessionUpdate{AgentMessageChunk: &v1.ContentChunk{Content: text("a"), MessageID: "m"}}, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"m"}`},
	{"SessionUpdate", v1.SessionUpdate{AgentThoughtChunk: &v1.ContentChunk{Content: text("t")}}, `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"t"}}`},
	{"SessionUpdate", v1.SessionUpdate{ToolCall: &v1.ToolCall{ToolCallID: "c", Title: "Read a.go", Kind: v1.ToolKindRead, Status: v1.ToolCallStatusPending, Locations: []v1.ToolCallLocation{{Path: "/a.go", Line: at(0)}}, RawInput: json.RawMessage(`{"path":"a.go"}`)}}, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"Read a.go","kind":"read","status":"pending","locations":[{"path":"/a.go","line":0}],"rawInput":{"path":"a.go"}}`},
	{"SessionUpdate", v1.SessionUpdate{ToolCallUpdate: &v1.ToolCallUpdate{ToolCallID: "c", Status: v1.ToolCallStatusCompleted, Content: []v1.ToolCallContent{}}}, `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[]}`},
	{"SessionUpdate", v1.SessionUpdate{Plan: &v1.Plan{Entries: []v1.PlanEntry{{Content: "x", Priority: v1.PlanEntryPriorityMedium, Status: v1.PlanEntryStatusInProgress}}}}, `{"sessionUpdate":"plan","entries":[{"content":"x","priority":"medium","status":"in_progress"}]}`},
	{"SessionUpdate", v1.SessionUpdate{AvailableCommandsUpdate: &v1.AvailableCommandsUpdate{AvailableCommands: []v1.AvailableCommand{{Name: "undo", Description: "takes back", Input: &v1.UnstructuredCommandInput{Hint: "how many"}}}}}, `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"undo","description":"takes back","input":{"hint":"how many"}}]}`},
	{"SessionUpdate", v1.SessionUpdate{CurrentModeUpdate: &v1.CurrentModeUpdate{CurrentModeID: "plan"}}, `{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`},
	{"SessionUpdate", v1.SessionUpdate{ConfigOptionUpdate: &v1.ConfigOptionUpdate{ConfigOptions: []v1.SessionConfigOption{}}}, `{"sessionUpdate":"config_option_update","configOptions":[]}`},
	{"SessionUpdate", v1.SessionUpdate{SessionInfoUpdate: &v1.SessionInfoUpdate{Title: at("T")}}, `{"sessionUpdate":"session_info_update","title":"T"}`},
	{"SessionUpdate", v1.SessionUpdate{UsageUpdate: &v1.UsageUpdate{Used: 0, Size: 8000, Cost: &v1.Cost{Amount: 0.25, Currency: "USD"}}}, `{"sessionUpdate":"usage_update","used":0,"size":8000,"cost":{"amount":0.25,"currency":"USD"}}`},
	{"SessionUpdate", v1.SessionUpdate{Notice: &v1.Notice{Severity: v1.NoticeSeverityWarning, Title: "N"}}, `{"sessionUpdate":"notice","severity":"warning","title":"N"}`},
	{"SessionUpdate", v1.SessionUpdate{CompactionUpdate: &v1.CompactionUpdate{CompactionID: "1", Status: v1.CompactionStatusCompleted, Summary: []v1.ContentBlock{text("s")}}}, `{"sessionUpdate":"compaction_update","compactionId":"1","status":"completed","summary":[{"type":"text","text":"s"}]}`},
	{"SessionUpdate", v1.SessionUpdate{CompactionSummaryChunk: &v1.CompactionSummaryChunk{CompactionID: "1", Content: text("s")}}, `{"sessionUpdate":"compaction_summary_chunk","compactionId":"1","content":{"type":"text","text":"s"}}`},
	// Unions are not all: some whole messages.
	{"NewSessionRequest", v1.NewSessionRequest{Cwd: "/w", MCPServers: []v1.MCPServer{{ACP: &v1.MCPServerACP{Name: "a", ServerID: "1"}}}, SystemPrompt: &v1.SystemPrompt{Mode: v1.SystemPromptModeAppend, Content: []v1.ContentBlock{text("x")}}}, `{"cwd":"/w","mcpServers":[{"type":"acp","name":"a","serverId":"1"}],"systemPrompt":{"mode":"append","content":[{"type":"text","text":"x"}]}}`},
	{"InitializeRequest", v1.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: &v1.ClientCapabilities{FS: &v1.FileSystemCapabilities{ReadTextFile: true}, Session: &v1.ClientSessionCapabilities{Notices: &v1.Empty{}}}}, `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true},"session":{"notices":{}}}}`},
	{"InitializeResponse", v1.InitializeResponse{ProtocolVersion: 1, AgentCapabilities: &v1.AgentCapabilities{LoadSession: true, SessionCapabilities: &v1.SessionCapabilities{List: &v1.Empty{}}}, AgentInfo: &v1.Implementation{Name: "a", Version: "1"}}, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{}}},"agentInfo":{"name":"a","version":"1"}}`},
	{"RequestPermissionRequest", v1.RequestPermissionRequest{SessionID: "s", ToolCall: v1.ToolCallUpdate{ToolCallID: "c"}, Options: []v1.PermissionOption{{OptionID: "once", Name: "Allow", Kind: v1.PermissionOptionKindAllowOnce}}}, `{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"once","name":"Allow","kind":"allow_once"}]}`},
	{"SessionNotification", v1.SessionNotification{SessionID: "s", Update: v1.SessionUpdate{CurrentModeUpdate: &v1.CurrentModeUpdate{CurrentModeID: "plan"}}}, `{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"plan"}}`},
	{"PromptResponse", v1.PromptResponse{StopReason: v1.StopReasonEndTurn, Usage: &v1.Usage{TotalTokens: 3}}, `{"stopReason":"end_turn","usage":{"totalTokens":3,"inputTokens":0,"outputTokens":0}}`},
	{"CancelRequestNotification", v1.CancelRequestNotification{RequestID: json.RawMessage(`"s1"`)}, `{"requestId":"s1"}`},
}

// TestExamples: what is encoded is the text and fits the schema, and the text is
// decoded to the value.
func TestExamples(t *testing.T) {
	schema := official(t)
	for _, e := range examples {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(e.value); err != nil {
			t.Errorf("%s: %v", e.text, err)
			continue
		}
		if got := strings.TrimSpace(b.String()); got != e.text {
			t.Errorf("encoded\n%s\nwant\n%s", got, e.text)
		}
		if err := schema.Fits(e.definition, []byte(e.text)); err != nil {
			t.Errorf("%s: %v", e.text, err)
		}
		back := reflect.New(reflect.TypeOf(e.value))
		if err := json.Unmarshal([]byte(e.text), back.Interface()); err != nil {
			t.Errorf("%s: %v", e.text, err)
		} else if !reflect.DeepEqual(back.Elem().Interface(), e.value) {
			t.Errorf("%s was decoded to %+v", e.text, back.Elem().Interface())
		}
	}
}

// TestExamplesHaveEachForm: no form of a union is without an example.
func TestExamplesHaveEachForm(t *testing.T) {
	missing := map[string]bool{}
	made, err := os.ReadFile("types.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(made), "\nfunc (u *")[1:] {
		name, body, _ := strings.Cut(part, ")")
		body, _, _ = strings.Cut(body, "\n}\n")
		for _, line := range strings.Split(body, "&u.")[1:] {
			if field, _, is := strings.Cut(line, "},\n"); is {
				missing[name+"."+field] = true
			}
		}
	}
	if len(missing) < 50 {
		t.Fatalf("found only %d forms", len(missing))
	}
	for _, e := range examples {
		v := reflect.ValueOf(e.value)
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
				delete(missing, v.Type().Name()+"."+v.Type().Field(i).Name)
			}
		}
	}
	for _, form := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("no example is a %s", form)
	}
}

// TestUnknownForms: what is not known is kept as it came, and goes out so again.
func TestUnknownForms(t *testing.T) {
	for _, c := range []struct{ into, text, word string }{
		{"block", `{"type":"video","data":"AA=="}`, "video"},
		{"block", `{"data":"AA=="}`, ""},
		{"block", `{"type":7}`, ""},
		{"update", `{"sessionUpdate":"subagent_update","sessionId":"s"}`, "subagent_update"},
		{"update", `{"sessionUpdate":"session_message","messageId":"m"}`, "session_message"},
		{"outcome", `{"outcome":"maybe","optionId":"once"}`, "maybe"},
		{"outcome", `{"optionId":"once"}`, ""},
		{"server", `{"type":"websocket","name":"w","command":"/bin/sh","args":[],"env":[]}`, "websocket"},
		{"resource", `{"uri":"u"}`, ""},
	} {
		var block v1.ContentBlock
		var update v1.SessionUpdate
		var outcome v1.RequestPermissionOutcome
		var server v1.MCPServer
		var resource v1.EmbeddedResourceResource
		into := map[string]any{"block": &block, "update": &update, "outcome": &outcome, "server": &server, "resource": &resource}[c.into]
		if err := json.Unmarshal([]byte(c.text), into); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		v := reflect.ValueOf(into).Elem()
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
				t.Errorf("%s was taken for a %s", c.text, v.Type().Field(i).Name)
			}
		}
		if word, other := v.FieldByName("Unknown").String(), string(v.FieldByName("Other").Bytes()); word != c.word || other != c.text {
			t.Errorf("%s: word %q, kept %s", c.text, word, other)
		}
		if again, err := json.Marshal(v.Interface()); err != nil || string(again) != c.text {
			t.Errorf("%s went out as %s, %v", c.text, again, err)
		}
	}
}

// TestTolerance: clients write the tag of a form that has none, and null for nothing.
func TestTolerance(t *testing.T) {
	var n v1.NewSessionRequest
	if err := json.Unmarshal([]byte(`{"cwd":"/w","mcpServers":[{"type":"stdio","name":"s","command":"c","args":null,"env":[]},null],"systemPrompt":null,"_meta":null}`), &n); err != nil {
		t.Fatal(err)
	}
	if n.MCPServers[0].Stdio == nil || n.MCPServers[0].Stdio.Command != "c" || n.MCPServers[1].Stdio != nil || n.SystemPrompt != nil {
		t.Errorf("decoded to %+v", n)
	}
	var s v1.SetSessionConfigOptionRequest
	if err := json.Unmarshal([]byte(`{"sessionId":"s","configId":"m","type":"select","value":"a"}`), &s); err != nil || s.Select == nil || s.ConfigID != "m" {
		t.Errorf("decoded to %+v, %v", s, err)
	}
	// A second reading leaves nothing of the first.
	if err := json.Unmarshal([]byte(`{"sessionId":"s","configId":"m","type":"boolean","value":true}`), &s); err != nil || s.Select != nil || s.Boolean == nil {
		t.Errorf("decoded to %+v, %v", s, err)
	}
	for text, into := range map[string]any{`7`: &v1.ContentBlock{}, `{"type":"text","text":7}`: &v1.ContentBlock{}, `{"sessionId":"s","configId":"m","value":true}`: &s} {
		if json.Unmarshal([]byte(text), into) == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

// TestNothingRequiredIsNull: lists that must be there are, and a union without a form
// is not sent.
func TestNothingRequiredIsNull(t *testing.T) {
	for want, v := range map[string]any{
		`{"sessions":[]}`: v1.ListSessionsResponse{},
		`{"sessionId":"","toolCall":{"toolCallId":""},"options":[]}`: v1.RequestPermissionRequest{},
		`{"currentValue":"","options":[]}`:                           v1.SessionConfigSelect{},
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	both := v1.ContentBlock{Text: &v1.TextContent{}, Image: &v1.ImageContent{}}
	known := v1.ContentBlock{Text: &v1.TextContent{}, Other: json.RawMessage(`{}`)}
	lists := v1.SessionConfigSelectOptions{Options: []v1.SessionConfigSelectOption{}, Groups: []v1.SessionConfigSelectGroup{}}
	for _, v := range []any{v1.ContentBlock{}, v1.SessionNotification{}, both, known, lists} {
		if got, err := json.Marshal(v); err == nil {
			t.Errorf("%+v was sent as %s", v, got)
		}
	}
}
