package wire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// messageKind is what a body turned out to be.
type messageKind int

const (
	isInvalid      messageKind = iota // answer it with problem, then forget it
	isRequest                         // has an id and wants an answer
	isNotification                    // has none
	isResponse                        // answers one of ours
)

// message is one JSON-RPC object, cut but not decoded: params, result and
// failure are slices of the body, byte for byte as the client wrote them.
type message struct {
	kind    messageKind
	id      json.RawMessage // legal, or nil
	method  string
	params  json.RawMessage // an object or an array; nil when absent or null
	result  json.RawMessage
	failure json.RawMessage // the member error of a response
	problem *Error
}

// parseMessage says what body is. The body is scanned twice, once by the JSON
// validator and once for the members of the outermost object, and nothing is
// decoded. JSON nested deeper than the validator reads (10,000 levels) counts as
// malformed, and its answer has the id of its request.
func parseMessage(body []byte) message {
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	if !json.Valid(body) {
		return message{id: idOfDeep(body), problem: problem(CodeParseError, "malformed JSON")}
	}
	body = bytes.TrimSpace(body)
	switch {
	case body[0] == '[':
		return message{problem: problem(CodeInvalidRequest, "batches are not supported")}
	case body[0] != '{':
		return message{problem: problem(CodeInvalidRequest, "a message must be an object")}
	}
	return parseObject(body)
}

// idOfDeep is the legal id of a request that is only nested deeper than the
// validator reads; nil for every other body. What is in the nested values does not
// count: each is looked at as if it were empty.
func idOfDeep(body []byte) []byte {
	flat, deep := flattened(body)
	if !deep || !json.Valid(flat) {
		return nil
	}
	if flat = bytes.TrimSpace(flat); flat[0] != '{' {
		return nil
	}
	m := parseObject(flat)
	if m.kind == isResponse {
		return nil // its id is one of ours
	}
	return m.id
}

// mostLevels is how deep the standard library's validator reads.
const mostLevels = 10_000

// flattened is body with nothing in the arrays and objects of its members, and
// whether it is nested deeper than the validator reads, with every bracket closed
// by its own kind.
func flattened(body []byte) (flat []byte, deep bool) {
	var open []byte // the closing brackets that are owed
	for i := 0; i < len(body); {
		end, level, most := i+1, len(open), 2
		switch c := body[i]; c {
		case '{', '[':
			open = append(open, c+2) // as ASCII has it
			level++
			deep = deep || level > mostLevels
		case '}', ']':
			if level == 0 || open[level-1] != c {
				return nil, false
			}
			open = open[:level-1]
		case '"':
			end, most = skipString(body, i), 1
		default:
			most = 1
		}
		if level <= most {
			flat = append(flat, body[i:end]...)
		}
		i = end
	}
	return flat, deep && len(open) == 0
}

// member is one of the members JSON-RPC knows; the zero value is an absent one.
type member struct {
	value []byte
	count int
}

func parseObject(body []byte) message {
	var version, id, method, params, result, failure member
	eachMember(body, func(name string, value []byte) bool {
		var m *member
		switch name {
		case "jsonrpc":
			m = &version
		case "id":
			m = &id
		case "method":
			m = &method
		case "params":
			m = &params
		case "result":
			m = &result
		case "error":
			m = &failure
		default:
			return true
		}
		m.value = value
		m.count++
		return true
	})

	var msg message
	if LegalID(id.value) && id.count == 1 {
		msg.id = id.value
	}
	refuse := func(why string) message {
		return message{id: msg.id, problem: problem(CodeInvalidRequest, why)}
	}
	for _, m := range []member{version, id, method, params, result, failure} {
		if m.count > 1 {
			// Two readers of one message must not see two messages.
			return message{problem: problem(CodeInvalidRequest, "a member occurs twice")}
		}
	}
	if method.count == 0 && (result.count > 0 || failure.count > 0) {
		return parseResponse(msg.id, version, result, failure)
	}
	switch {
	case string(version.value) != `"2.0"`:
		return refuse(`jsonrpc must be "2.0"`)
	case id.count == 1 && msg.id == nil:
		return refuse("id must be an integer or a string")
	case method.count == 0:
		return refuse("method is missing")
	case method.value[0] != '"':
		return refuse("method must be a string")
	case result.count > 0 || failure.count > 0:
		return refuse("a request carries neither result nor error")
	}
	msg.method = unquote(method.value)
	switch {
	case params.count == 0 || string(params.value) == "null":
	case params.value[0] == '{' || params.value[0] == '[':
		msg.params = params.value
	default:
		return refuse("params must be an object or an array")
	}
	msg.kind = isNotification
	if msg.id != nil {
		msg.kind = isRequest
	}
	return msg
}

// parseResponse never refuses a response outright: anyone who waits for it must
// not wait for ever, and a damaged one counts as a failure, never as a yes.
func parseResponse(id []byte, version, result, failure member) message {
	msg := message{kind: isResponse, id: id}
	switch {
	case string(version.value) != `"2.0"`:
		msg.problem = problem(CodeInvalidRequest, `jsonrpc must be "2.0"`)
	case result.count > 0 && failure.count > 0 && string(failure.value) != "null":
		msg.failure = failure.value
	case failure.count > 0 && string(failure.value) != "null":
		msg.failure = failure.value
	case result.count > 0:
		msg.result = result.value
	default:
		msg.result = json.RawMessage("null") // some clients send error: null and no result
	}
	if msg.problem != nil {
		msg.failure = json.RawMessage(`{"code":-32600,"message":"malformed response"}`)
	}
	return msg
}

// LegalID accepts strings and integers of any size; not null, true, 1.5 or 1e3.
func LegalID(raw []byte) bool {
	if len(raw) == 0 {
		return false
	}
	if raw[0] == '"' {
		return true
	}
	digits := bytes.TrimPrefix(raw, []byte("-"))
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(digits) > 0
}

// IDKey is equal for two ids exactly when they are the same JSON value, so that
// "1" and 1 differ and "a" and "\u0061" do not.
func IDKey(raw []byte) string {
	if raw[0] == '"' {
		return `"` + unquote(raw)
	}
	if string(raw) == "-0" {
		return "0"
	}
	return string(raw)
}

// unquote decodes a valid JSON string.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// eachMember calls yield for each member of object, which must be a valid JSON
// object without blanks around it. Values are slices of object. It keeps no
// stack, so nesting costs nothing.
func eachMember(object []byte, yield func(name string, value []byte) bool) {
	i := skipBlank(object, 1)
	for i < len(object) && object[i] == '"' {
		end := skipValue(object, i)
		name := unquote(object[i:end])
		i = skipBlank(object, end)
		i = skipBlank(object, i+1) // the colon
		end = skipValue(object, i)
		if !yield(name, object[i:end:end]) {
			return
		}
		i = skipBlank(object, end)
		i = skipBlank(object, i+1) // the comma or the closing brace
	}
}

// MemberString returns the string member called name of a valid JSON object, or
// "" when there is none.
func MemberString(object []byte, name string) (found string) {
	if len(object) == 0 || object[0] != '{' {
		return ""
	}
	eachMember(object, func(n string, value []byte) bool {
		if n == name && value[0] == '"' {
			found = unquote(value)
		}
		return true
	})
	return found
}

func skipBlank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipValue returns the end of the valid JSON value that starts at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // behind a bare number or word
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		i += n
		back := 0
		for b[i-1-back] == '\\' {
			back++
		}
		if back%2 == 0 {
			return i + 1
		}
	}
	return i
}
