package model

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// Efforts are how much a model may be told to think, the least first.
var Efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh"}

// family is a family of models that takes an effort, and how it is written.
type family struct {
	api    api
	host   string // where the member is known; "" is everywhere
	names  func() *regexp.Regexp
	levels []string
	write  func(level string) (member string, value any)
}

// switched is for families that think or do not.
var switched = []string{"none", "high"}

// families are asked in this order.
var families = []family{
	{apiMessages, "", lazy.Regexp(adaptive), []string{"none", "low", "medium", "high", "xhigh"}, nil},
	{apiMessages, "", lazy.Regexp(`claude-(3-7|opus-4|sonnet-4|haiku-4)`), Efforts, nil},
	{apiChat, "openrouter.ai", lazy.Regexp(`.`), Efforts, func(level string) (string, any) {
		return "reasoning", map[string]string{"effort": level}
	}},
	{apiChat, "", lazy.Regexp(`^gpt-(5\.[1-9]|[6-9])`), []string{"none", "low", "medium", "high", "xhigh"}, plainEffort},
	{apiChat, "", lazy.Regexp(`^gpt-5([.-]|$)`), []string{"minimal", "low", "medium", "high"}, plainEffort},
	{apiChat, "", lazy.Regexp(`^(o[1-9]\d?([.-]|$)|gpt-oss|codex)`), []string{"low", "medium", "high"}, plainEffort},
	{apiChat, "", lazy.Regexp(`^gemini-(2\.5|[3-9])`), []string{"none", "low", "medium", "high"}, plainEffort},
	{apiChat, "", lazy.Regexp(`^grok-3-mini`), []string{"low", "high"}, plainEffort},
	{apiChat, "api.z.ai", lazy.Regexp(`^glm-(4\.[5-9]|[5-9])`), switched, thinkingSwitch},
	{apiChat, "api.deepseek.com", lazy.Regexp(`^deepseek`), switched, thinkingSwitch},
	{apiChat, "dashscope-intl.aliyuncs.com", lazy.Regexp(`^qwen`), switched, func(level string) (string, any) {
		return "enable_thinking", level != noEffort
	}},
	// On a server of one's own the template decides.
	{apiChat, "", lazy.Regexp(`^(qwen3|glm-(4\.[5-9]|[5-9]))`), switched, func(level string) (string, any) {
		return "chat_template_kwargs", map[string]bool{"enable_thinking": level != noEffort}
	}},
	{apiChat, "", lazy.Regexp(`^deepseek-v?(3\.[1-9]|[4-9])`), switched, func(level string) (string, any) {
		return "chat_template_kwargs", map[string]bool{"thinking": level != noEffort}
	}},
}

// noEffort is not to think at all.
const noEffort = "none"

// adaptive are the models that decide for themselves how long they think, and are told an
// effort; the ones before are given a number of tokens.
const adaptive = `claude-((opus|sonnet|haiku)-(4-[6-9]|[5-9])|fable|mythos)`

func plainEffort(level string) (string, any) { return "reasoning_effort", level }

func thinkingSwitch(level string) (string, any) {
	how := "enabled"
	if level == noEffort {
		how = "disabled"
	}
	return "thinking", map[string]string{"type": how}
}

// decidesItself matches the names of adaptive models.
var decidesItself = lazy.Regexp(adaptive)

// familyOf is the family of a model, nil for one that takes no effort or is not known.
func familyOf(info Info) *family {
	name := strings.ToLower(info.Name)
	bare := name[strings.LastIndexByte(name, '/')+1:]
	for i := range families {
		f := &families[i]
		as := info.form.api
		if as == apiResponses { // the same names, written elsewhere
			as = apiChat
		}
		of := bare
		if f.api == apiMessages {
			of = name // Bedrock's have more before it
		}
		if f.api == as && (f.host == "" || f.host == info.form.host) && f.names().MatchString(of) {
			if f.host == "openrouter.ai" && !info.Reasoning {
				return nil
			}
			return f
		}
	}
	return nil
}

// efforts are the levels that a model takes, nil where it takes none.
func efforts(info Info) []string {
	if f := familyOf(info); f != nil {
		return f.levels
	}
	return nil
}

// nearest is the level of a family for the one that is wanted: the highest that is not above
// it, else the lowest.
func (f *family) nearest(wanted string) string {
	most := slices.Index(Efforts, wanted)
	best := f.levels[0]
	for _, level := range f.levels {
		if slices.Index(Efforts, level) <= most {
			best = level
		}
	}
	return best
}

// effort writes how much the model may think, as its family wants it.
func (w *writer) effort(p Params, info Info) {
	f := familyOf(info)
	if p.Effort == "" || f == nil {
		return
	}
	if name, value := f.write(f.nearest(p.Effort)); w.may(name) {
		w.member(name, value)
	}
}
