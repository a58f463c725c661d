package model

import (
	"encoding/json"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// messageIn is the sentence for people in an error body, whatever its shape:
// {"error":{"message"}}, {"error":"text"}, [{"error":…}], {"message"},
// {"detail"}, HTML or plain text. A wrapped upstream error is added.
func messageIn(body string) string { return messageAt(body, 4) }

// codeIn is what an error body calls its error for programs: its code, else its type.
func codeIn(body string) string {
	var b struct {
		Code  text            `json:"code"`
		Type  text            `json:"type"`
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal([]byte(body), &b) // loose: what does not fit stays empty
	var inner struct {
		Code text `json:"code"`
		Type text `json:"type"`
	}
	_ = json.Unmarshal(b.Error, &inner)
	return strings.TrimSpace(strings.Join([]string{string(inner.Type), string(inner.Code), string(b.Type), string(b.Code)}, " "))
}

// messageAt looks at most depth levels into nested errors.
func messageAt(body string, depth int) string {
	body = strings.TrimSpace(body)
	if depth == 0 {
		return body
	}
	raw := json.RawMessage(body)
	var many []json.RawMessage
	if json.Unmarshal(raw, &many) == nil && len(many) > 0 {
		raw = many[0]
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		if strings.HasPrefix(body, "<") {
			return textOfHTML(body)
		}
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
		return body
	}
	if e, ok := members["error"]; ok && !isNull(e) {
		if inner := messageAt(string(e), depth-1); inner != "" && inner != "{}" {
			return inner
		}
	}
	if b, ok := members["base_resp"]; ok {
		return messageAt(string(b), depth-1)
	}
	for _, name := range []string{"message", "status_msg", "detail", "reason", "error_description"} {
		if m, ok := members[name]; ok && !isNull(m) {
			var s string
			if json.Unmarshal(m, &s) != nil {
				s = validation(m)
			}
			if s != "" {
				return s + upstream(members["metadata"], depth-1)
			}
		}
	}
	return body
}

// validation is a list of {"loc", "msg"} in words; another value stays as it is.
func validation(raw json.RawMessage) string {
	var faults []struct {
		Where []text `json:"loc"`
		What  text   `json:"msg"`
	}
	if json.Unmarshal(raw, &faults) != nil || len(faults) == 0 {
		return string(raw)
	}
	var words []string
	for _, f := range faults {
		if f.What == "" {
			return string(raw)
		}
		var path []string
		for _, part := range f.Where {
			path = append(path, string(part))
		}
		words = append(words, strings.TrimPrefix(strings.Join(path, ".")+": ", ": ")+string(f.What))
	}
	return strings.Join(words, "; ")
}

// brokenCall is what a model wrote that its provider took for a broken call, "" where the
// provider does not say.
func brokenCall(body string) string {
	var b struct {
		Error struct {
			Failed text `json:"failed_generation"`
		} `json:"error"`
	}
	_ = json.Unmarshal([]byte(body), &b) // loose: what does not fit stays empty
	return string(b.Error.Failed)
}

// upstream is what a gateway says its provider said.
func upstream(metadata json.RawMessage, depth int) string {
	var m struct {
		Raw      text `json:"raw"`
		Provider text `json:"provider_name"`
	}
	if json.Unmarshal(metadata, &m) != nil || m.Raw == "" {
		return ""
	}
	return " (" + strings.TrimSpace(string(m.Provider)+": "+messageAt(string(m.Raw), depth)) + ")"
}

var (
	htmlTitle  = lazy.Regexp(`(?is)<title>(.*?)</title>`)
	htmlHidden = lazy.Regexp(`(?is)<(script|style)\b.*?</(script|style)>`)
	htmlTag    = lazy.Regexp(`(?s)<[^>]*>`)
)

func textOfHTML(body string) string {
	if m := htmlTitle().FindStringSubmatch(body); m != nil {
		return strings.TrimSpace(m[1])
	}
	plain := htmlTag().ReplaceAllString(htmlHidden().ReplaceAllString(body, " "), " ")
	return strings.Join(strings.Fields(plain), " ")
}

// maxErrorBody is how much of an error answer is read.
const maxErrorBody = 64 << 10
