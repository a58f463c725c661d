package model

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// class is the finest distinction that texts of providers allow. Several
// classes share a Kind; the retry loop looks at the class.
type class string

const (
	classOverflow      class = "overflow"
	classOverflowTPM   class = "overflow_tpm" // one request above the rate limit: waiting never helps
	classQuota         class = "quota"
	classRateLimit     class = "rate_limit"
	classOverloaded    class = "overloaded"
	classAuth          class = "auth"
	classNotFound      class = "not_found"
	classContentFilter class = "content_filter"
	classToolUseFailed class = "tool_use_failed" // the provider could not parse what its model wrote
	classHistory       class = "history"         // the conversation sent is malformed
	classBadRequest    class = "bad_request"
	classServer        class = "server_error"
	classNetwork       class = "network"
)

// kind is what the class means on the wire.
func (c class) kind() Kind {
	switch c {
	case classOverflow, classOverflowTPM:
		return KindOverflow
	case classQuota:
		return KindQuota
	case classRateLimit:
		return KindRateLimited
	case classOverloaded:
		return KindOverloaded
	case classAuth:
		return KindAuth
	case classNotFound:
		return KindNotFound
	case classContentFilter:
		return KindContentFilter
	case classToolUseFailed, classHistory, classBadRequest:
		return KindRejected
	case classNetwork:
		return KindNetwork
	default:
		return KindServer
	}
}

// transient says that the same request may succeed later.
func (c class) transient() bool {
	switch c {
	case classRateLimit, classOverloaded, classServer, classNetwork, classToolUseFailed:
		return true
	}
	return false
}

func anyOf(patterns ...string) func() *regexp.Regexp {
	return lazy.Regexp("(?is)" + strings.Join(patterns, "|"))
}

// What providers say, gathered from recorded and quoted answers. RE2, so no
// text can make them slow.
var (
	saysTPM = anyOf(`request too large for .*(\btpm\b|tokens per min)`)

	saysOverflow = anyOf(
		`context[_ ]length[_ ]exceeded`,
		`maximum context length`,
		`max(imum)? context (length|window)`,
		`context (window|size|length)\b.*(exceed|support|only|full)`,
		`exceeds?\b.*context (window|size|length|limit)`,
		`exceed_context_size_error`,
		`longer than the model.?s context length`,
		`greater than the context length`,
		`does not fit in context`,
		`context length of( only)? \d+ tokens`,
		`context the overflows`,
		`prompt (is )?too long`,
		`(input|prompt) is too long`,
		`input too long`,
		`total length of all messages is too long`,
		`too_many_prompt_tokens`,
		`input token count.*exceeds`,
		`input length \d+ exceeds`,
		`prompt \d+ > \d+ maximum`,
		`maximum prompt length is \d+`,
		`exceeded model token limit`,
		`total message size \d+ exceeds limit`,
		`token count of \d+ exceeds the limit of`,
		`model_max_prompt_tokens_exceeded`,
		`model_context_window_exceeded`,
		`reduce the length of (the|your) (messages|input|prompt)`,
		`exceeds the maximum allowed input length`,
		`range of input length should be`,
		`input tokens exceeded`,
		`exceed context limit`,
		`request_too_large`,
		`request entity too large`,
		`exceeds maximum allowed content length`,
		`too many tokens: size limit exceeded`,
		`context window exceeds limit`,
		`"code":\s*"1261"`,
		`prompt tokens limit exceeded`,
		`too large for model with \d+`,
		`^token limit reached$|"message":\s*"token limit reached"`,
	)
	// Throttling also speaks of tokens and limits.
	saysThrottled = anyOf(`rate.?limit`, `throttl`, `too many requests`)

	saysQuota = anyOf(
		`exceeded_current_quota_error`,
		`insufficient[_ ]balance`,
		`requires more credits`,
		`"code":\s*"(1113|1308|1309|1310)"`,
		`payment is past due`,
		`payment required`,
		`usage_not_included`,
		`usage limit reached`,
		`credit balance is too low`,
		`余额不足`,
	)
	// Gemini says the same of a limit that is over in a moment, and when it is.
	saysBilling = anyOf(`insufficient_quota`, `exceeded your current quota`)
	saysLater   = anyOf(`(retry|try again) (in|after) ?\d`, `retry_?(delay|after)`)

	// The sentences of a status that means something else as well; a body may repeat
	// what was asked, so they are looked for in its message and its code alone.
	saysNoModel = anyOf(
		`model[_ ]not[_ ](found|exist)`,
		`model_(decommissioned|not_supported)`,
		`\binvalid_model\b`,
		`no endpoints found`,
		`^invalid model( name| id(entifier)?)?\b ?($|[:'"\x60.,]|provided|specified|passed)`,
		`invalid model (name|id|identifier)\b`,
		`not a valid model( id| name|$)`,
		`\b(no such|unknown|unsupported) model\b`,
		`\bno model named\b`,
		`\bmodel you requested (is not|isn't|does not|doesn't|was not|has been|could not)\b`,
		`\bnot supported by any provider\b`,
		`\bmodel( id| name| identifier)? ?['"\x60]?[^ ]*['"\x60]? (does not exist|do(es)?n't exist|not exist|(is |was )?not found|has been (decommissioned|retired|removed|deprecated)|is (decommissioned|not available|invalid))`,
		`the supported (api )?model names are`,
		`the requested model is not supported`,
		`model identifier is invalid`,
		`not found the model\b`,
		`^only .* allowed now|模型不存在`,
	)
	saysWrongKey = anyOf(`(incorrect|invalid|wrong|expired) api[ _-]?key`, `api[ _-]?key( is| has)?( not valid| invalid| expired)`, `api_key_invalid`)
	// A server that was started without templates for tools, or whose template fails.
	saysTemplate = anyOf(`requires --jinja`, `\bjinja\b.*(exception|error)|(exception|error).*\bjinja\b`, `raise_exception`)

	saysOverloaded = anyOf(
		`overloaded`,
		`"code":\s*"1305"`,
		`slow_down`,
		`over capacity`,
		`at capacity`,
	)
	saysHistory = anyOf(
		`missing a thought_signature`,
		`must be followed by tool messages`,
		`tool_use.? ids were found without`,
		`assistant message must have content`,
		`must be a response to a preceding message with`,
		`unexpected .?tool_use_id`,
	)
	saysFiltered = anyOf(
		`content_filter`,
		`content_policy_violation`,
		`content management policy`,
		`violat(es|ing) (our )?usage (guidelines|polic(y|ies))`,
		`responsibleaipolicyviolation`,
		`content violates`,
	)
	saysToolUseFailed = anyOf(`tool_use_failed`)
	saysBadKey        = anyOf(`authentication_error`, `invalid_api_key`, `permission_error`, `unauthorized`)
	saysRateLimit     = anyOf(`rate_limit`, `rate limit`, `too many requests`, `resource_exhausted`, `"code":\s*"1302"`)
	saysServer        = anyOf(`server_error`, `internal_error`, `api_error`, `upstream error`, `provider returned error`, `timeout`, `timed out`)
	saysBadRequest    = anyOf(`invalid_request`, `invalid argument`, `invalid_argument`, `badrequest`, `bad_request`, `validation`, `invalid_prompt`, `(invalid|unsupported|empty)_(base64_)?image`, `image_(too_|parse_|file_)`)
)

// classify tells what an answer means from its status and its whole body. A
// status of 0 or 2xx is an error inside a stream: then the words decide, and
// what is unknown counts as the server's failure (and is retried).
func classify(status int, body string) class {
	if inner := innerStatus(body); (status == 0 || status/100 == 2) && inner != 0 {
		status = inner
	}
	inStream := status == 0 || status/100 == 2
	switch {
	case saysTPM().MatchString(body):
		return classOverflowTPM
	case status != 429 && saysOverflow().MatchString(body) && !saysThrottled().MatchString(body):
		return classOverflow
	case saysQuota().MatchString(body), saysBilling().MatchString(body) && !saysLater().MatchString(body):
		return classQuota
	case status == 429 && saysOverloaded().MatchString(body):
		return classOverloaded
	case status == 429:
		return classRateLimit
	case saysToolUseFailed().MatchString(body):
		return classToolUseFailed
	case (status < 500 || inStream) && saysHistory().MatchString(body):
		return classHistory
	case saysFiltered().MatchString(body):
		return classContentFilter
	}
	if status == 400 || status == 422 || inStream {
		for _, words := range []string{messageIn(body), codeIn(body)} {
			switch {
			case saysNoModel().MatchString(words):
				return classNotFound
			case saysWrongKey().MatchString(words):
				return classAuth
			}
		}
	}
	switch status {
	case 401, 403, 407:
		return classAuth
	case 402:
		return classQuota
	case 404, 410:
		return classNotFound
	case 413:
		return classOverflow
	case 503, 529:
		return classOverloaded
	case 408, 409, 425:
		return classServer
	}
	switch {
	case status >= 500:
		if saysOverloaded().MatchString(body) {
			return classOverloaded
		}
		if saysTemplate().MatchString(body) {
			return classBadRequest
		}
		return classServer
	case !inStream:
		return classBadRequest
	case saysOverloaded().MatchString(body):
		return classOverloaded
	case saysRateLimit().MatchString(body):
		return classRateLimit
	case saysBadKey().MatchString(body):
		return classAuth
	case saysServer().MatchString(body):
		return classServer
	case saysBadRequest().MatchString(body):
		return classBadRequest
	}
	return classServer
}

// innerStatus finds the HTTP status that a body speaks of: error.code,
// error.status_code, code or status, as a number or as digits; MiniMax' own
// numbers are translated.
func innerStatus(body string) int {
	var b struct {
		Error  json.RawMessage `json:"error"`
		Code   text            `json:"code"`
		Status text            `json:"status_code"`
		Base   struct {
			Status text `json:"status_code"`
		} `json:"base_resp"`
	}
	raw := json.RawMessage(strings.TrimSpace(body))
	var many []json.RawMessage
	if json.Unmarshal(raw, &many) == nil && len(many) > 0 {
		raw = many[0] // Gemini wraps errors in an array
	}
	_ = json.Unmarshal(raw, &b) // loose: what does not fit stays empty
	var inner struct {
		Code   text `json:"code"`
		Status text `json:"status_code"`
	}
	_ = json.Unmarshal(b.Error, &inner)
	for _, s := range []text{inner.Status, inner.Code, b.Status, b.Code} {
		if n, err := strconv.Atoi(string(s)); err == nil && n >= 400 && n < 600 {
			return n
		}
	}
	switch b.Base.Status {
	case "1002":
		return 429
	case "1004", "2049":
		return 401
	case "1008":
		return 402
	case "1039", "2013":
		return 400
	}
	return 0
}
