package model

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// A quirk is something that a provider refuses in a request and that can be
// left out or written otherwise. It is named by the parameter, and remembered
// per base URL and model.
const (
	quirkToolChoice = "tool_choice"
	// quirkMaxTokens: the limit goes under the other name.
	quirkMaxTokens           = "max_tokens"
	quirkMaxCompletionTokens = "max_completion_tokens"
	quirkOutputLimit         = "output_limit" // no limit at all
	quirkStreamOptions       = "stream_options"
	quirkTemperature         = "temperature"
	quirkTopP                = "top_p"
	quirkImages              = "images"       // sent as a line of text
	quirkCallIDs             = "tool_call_id" // nine letters or digits
	quirkContent             = "content"      // calls need a text beside them
	quirkOneCall             = "one_call"     // each call is a message of its own
	quirkPlain               = "plain"        // calls and results are sent as texts
	quirkSystem              = "system"       // the system prompt is before the first words of the user
	quirkTools               = "tools"        // tools and calls are texts
	outOfTurn                = "turns"        // none: two messages of the user are in a row, which may be refused
	quirkSchema              = "schema"       // the schemas of tools have only what every provider takes
	// quirkResponses: tools are taken only by the Responses API, and the request
	// goes there; the four below exist only there.
	quirkResponses       = "responses"
	quirkMaxOutputTokens = "max_output_tokens"
	quirkEncrypted       = "encrypted_content" // reasoning is neither asked for nor sent back
	quirkItemIDs         = "input.id"          // reasoning goes back without its id
	quirkReasoning       = "reasoning"         // no summary of the reasoning is asked for
	// quirkReasoningBack: a history without the reasoning's text is refused.
	quirkReasoningBack = "reasoning_wanted"
	// quirkSignature: calls without the signature of a thought are refused, which
	// those of another model do not have.
	quirkSignature = "thought_signature"
	// quirkCache: nothing is marked to be cached.
	quirkCache    = "cache_control"
	quirkCacheKey = "prompt_cache_key"
	quirkThinking = "thinking"
	quirkGrammar  = "grammar"
	// quirkThoughts: sealed thinking of before is refused and left out.
	quirkThoughts = "thinking_back"
)

// special are quirks that are found by what the refusal says, never by their
// name in it.
var special = []string{quirkImages, quirkCallIDs, quirkContent, quirkOneCall, quirkPlain, quirkSystem, quirkTools, quirkSchema, outOfTurn, quirkResponses, quirkEncrypted, quirkItemIDs, quirkReasoningBack, quirkSignature, quirkThoughts}

var (
	isUnsupported = anyOf(
		`unsupported`, `not supported`, `n.t support`, `not support`, `unknown`, `unrecognized`, `unexpected`,
		`extra (fields|inputs)`, `not permitted`, `not allowed`, `only the default`, `deprecated`,
		`cannot (both )?be (used|specified|set)`, `not available`, `invalid_parameter`, `no longer`, `incompatible`,
	)
	refusesImages = anyOf(`(image|vision|multimodal|multi-modal)[^.]{0,80}(not support|unsupported|n.t support|not allowed|not available)`, `(not support|unsupported|n.t support)[^.]{0,60}(image|vision|multimodal)`, `no endpoints found that support image`, `unknown variant .image_url`)
	// One image is refused, broken in a way that its header does not show.
	refusesImage   = anyOf(`(unsupported|invalid|process|valid|decode|parse|corrupt(ed)?)[^.]{0,30}\bimage`, `\bimage\b[^.]{0,40}(not valid|invalid|corrupt|exceeds|exceed max|too large|too small|could not be)`, `image_(parse|too|file)_|invalid_(base64_)?image`)
	refusesIDs     = anyOf(`must be a-z, A-Z, 0-9, with a length of 9`, `tool_call_id[^.]{0,60}(pattern|too long|maximum length|invalid)`, `tool_calls\[\d+\]\.id[^.]{0,60}(pattern|too long|maximum length|invalid)`)
	refusesNothing = anyOf(
		`assistant message must have (either )?content`, `(missing|expected)( field| key)? .?content`, `content.{0,40}(field required|is (a )?required|required property)`,
		`\bcontent\b.{0,80}((should|must|to) be (a |of type )?(valid )?.?string|expected (a )?string|(must|can|may|should) ?not be (null|none|empty)|is not allowed to be null|got (null|none)|null is not|invalid type: null)`,
		`\bcontent\b.{0,40}(null|none)\b.{0,20}(instead|invalid|is not)`,
	)
	refusesSystem = anyOf(`\bsystem (role|message|prompt|instruction)s?\b[^.]{0,40}(not|n.t) (be )?(supported|allowed|enabled|accepted)`, `not support[^.]{0,30}\bsystem (role|message|prompt|instruction)`, `developer instruction is not enabled`, `only user(,| and) (assistant|model)[^.]{0,20} roles`)
	mustAlternate = anyOf(`roles? must alternate`, `must alternate between`)
	refusesSchema = anyOf(
		`unknown name .{1,40} at .{0,80}(parameters|function_declarations|input_schema)`, `invalid schema for (function|tool)`, `invalid_function_parameters`,
		`unrecognized schema`, `json.?schema (conversion|compilation) failed`, `(parse|compile|convert|initialize)[^.]{0,40}\b(grammar|json.?schema)`,
		`\b(additionalProperties|anyOf|oneOf|allOf|\$ref|\$schema|patternProperties)\b.{0,60}(not supported|unsupported|not permitted|not allowed|unknown)`,
		`(not supported|unsupported|unknown).{0,60}\b(additionalProperties|anyOf|oneOf|allOf|\$ref|\$schema|patternProperties)\b`,
	)
	// Where something is marked, a text is a part of a message.
	refusesParts    = anyOf(`\bcontent\b.{0,80}((should|must|to) be (a |of type )?(valid )?.?string|expected (a )?string)`, `cannot unmarshal array`, `invalid type: sequence`)
	refusesThoughts = anyOf(`invalid .?signature.? in .?thinking`, `\b(redacted_)?thinking\b.{0,80}(cannot be modified|must remain)`, `expected .?thinking.? or .?redacted_thinking`, `first block must be .?thinking`)
	refusesCalls    = anyOf(`single tool.?calls?\b`, `(only|at most|more than) (one|1|a single) tool.?call`, `(multiple|parallel) tool.?calls?\b[^.]{0,60}(not|n.t) (be )?(supported|allowed|possible)`, `not support (multiple|parallel) tool.?calls?\b`)
	refusesTools    = anyOf(
		`(not|n.t) support[^.]{0,30}\b(tools?|tool.?(use|calling)|function.?calling)(['"\x60]| |\.|,|$)`,
		`\b(tools?|tool.?(use|calling|calls)|function.?call(s|ing)?)['"\x60]? (is|are) (not|un) ?(supported|available|enabled)\b`,
		`no endpoints found that support tool use`, `requires? (the )?--jinja`, `requires --enable-auto-tool-choice`,
		`unrecognized (request )?argument[^.]{0,20}\btools\b`,
	)
	refusesLimit = anyOf(`max(_completion|_output)?_tokens[^.]{0,60}(too (large|high|big)|at most|must be (less|at most|between|<=)|exceed|greater than)`, `too large[^.]{0,40}max_tokens`, `max_tokens: \d+ > \d+`)
	// wantsReasoning: "The reasoning_content in the thinking mode must be passed
	// back", "reasoning_content is missing in assistant tool call message".
	wantsReasoning = anyOf(
		`reasoning(_content|_text)?\b[^.]{0,80}\b(must be (passed|sent|provided|included)|is (missing|required)|field required)`,
		`missing\b[^.]{0,40}\breasoning_(content|text)`,
	)
	wantsSignature = anyOf(`missing an? .?thought_signature`)
	// sendsToResponses: "… in /v1/chat/completions. Please use /v1/responses
	// instead.", "This model is only supported in v1/responses".
	sendsToResponses = anyOf(`\bv1/responses\b`, `\b(use|supported (in|by|through|with|on)) the responses (api|endpoint)\b`)
	refusesEncrypted = anyOf(`encrypted.content`, `type .reasoning. was provided without`, `"param":\s*"include`)
	refusesItemIDs   = anyOf(`input\[\d+\]\.id\b`, `item with id .{1,200} not found`, `duplicate item found with id`)
)

// findQuirk names what the provider refused among what was sent; "" when the
// refusal is not about that.
func findQuirk(body string, sent []string) string {
	text := unescaped(body)
	was := func(name string) bool { return slices.Contains(sent, name) }
	switch {
	case was(quirkImages) && (refusesImages().MatchString(text) || refusesImage().MatchString(text)):
		return quirkImages
	case was(quirkSystem) && (refusesSystem().MatchString(text) || isForSystem(text, sent)):
		return quirkSystem
	case was(quirkSchema) && refusesSchema().MatchString(text):
		return quirkSchema
	case was(quirkCallIDs) && refusesIDs().MatchString(text):
		return quirkCallIDs
	case was(quirkOneCall) && refusesCalls().MatchString(text):
		return quirkOneCall
	case was(quirkTools) && refusesTools().MatchString(text):
		return quirkTools
	case was(quirkGrammar) && word(text, quirkGrammar):
		return quirkGrammar
	case was(quirkThoughts) && refusesThoughts().MatchString(text):
		return quirkThoughts
	case was(quirkCache) && refusesParts().MatchString(text):
		return quirkCache
	case was(quirkContent) && refusesNothing().MatchString(text):
		return quirkContent
	case was(quirkSignature) && wantsSignature().MatchString(text):
		return quirkSignature
	case was(quirkReasoningBack) && wantsReasoning().MatchString(text):
		return quirkReasoningBack
	case was(quirkResponses) && sendsToResponses().MatchString(text):
		return quirkResponses
	case was(quirkItemIDs) && refusesItemIDs().MatchString(text):
		return quirkItemIDs
	case was(quirkEncrypted) && refusesEncrypted().MatchString(text):
		return quirkEncrypted
	case (was(quirkMaxTokens) || was(quirkMaxCompletionTokens) || was(quirkMaxOutputTokens)) && refusesLimit().MatchString(text):
		return quirkOutputLimit
	}
	named := paramOf(body)
	for _, name := range sent {
		if slices.Contains(special, name) {
			continue
		}
		if !word(text, name) && named != name {
			continue
		}
		if name == quirkToolChoice || named == name && !strings.Contains(text, "between") || isUnsupported().MatchString(text) {
			return name
		}
	}
	return ""
}

// fixable names the quirk that a failure is about, "" if it is about none.
// Besides what is called a bad request, gateways have no endpoint (404) for a
// parameter, and llama.cpp fails (500) where a model takes no images or its template
// takes one call at a time, or no system prompt.
func fixable(f *failure, sent []string) string {
	switch f.class {
	case classBadRequest, classHistory, classNotFound:
		return findQuirk(f.body, sent)
	case classServer:
		text := unescaped(f.body)
		switch {
		case f.err.Status < 500:
		case slices.Contains(sent, quirkImages) && refusesImages().MatchString(text):
			return quirkImages
		case slices.Contains(sent, quirkOneCall) && refusesCalls().MatchString(text):
			return quirkOneCall
		case slices.Contains(sent, quirkSystem) && (refusesSystem().MatchString(text) || isForSystem(text, sent)):
			return quirkSystem
		case slices.Contains(sent, quirkSchema) && refusesSchema().MatchString(text):
			return quirkSchema
		}
	}
	return ""
}

// isForSystem: where there are no calls, and no two messages of one role in a row, nothing but
// the system prompt can be the message that is out of turn.
func isForSystem(text string, sent []string) bool {
	return !slices.Contains(sent, quirkPlain) && !slices.Contains(sent, outOfTurn) && mustAlternate().MatchString(text)
}

// paramOf is error.param.
func paramOf(body string) string {
	var b struct {
		Error struct {
			Param text `json:"param"`
		} `json:"error"`
	}
	_ = json.Unmarshal([]byte(body), &b)
	return string(b.Error.Param)
}

// word finds name where it is not part of a longer name.
func word(text, name string) bool {
	return regexp.MustCompile(`(^|[^A-Za-z0-9_])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9_])`).MatchString(text)
}
