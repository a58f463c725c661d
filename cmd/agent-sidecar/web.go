package main

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/web"
)

// judgeOf lets the session judge every address that its tools fetch.
func judgeOf(of session.ToolOwner) web.Judge {
	return func(object string) web.Judgement {
		d := of.JudgeFetch(object)
		return web.Judgement{Verdict: verdictOf[d.Verdict], Opened: d.Opens}
	}
}

// verdictOf is a decision as the web knows it; what is not in it is denied.
var verdictOf = map[control.Verdict]web.Verdict{control.Allow: web.Allowed, control.Ask: web.Asked}

// search gives web_search while a provider is configured.
func (w *wiring) search(config *config.Store, pages *web.Web) func() []tool.Tool {
	provider := func() (web.Provider, bool) {
		s := config.Settings().Search
		if s == nil {
			return web.Provider{}, false
		}
		key := s.APIKey
		if key == "" && s.APIKeyEnv != "" && w.env != nil {
			key = w.env(s.APIKeyEnv)
		}
		return web.Provider{Name: s.Provider, URL: s.URL, Key: key}, true
	}
	return func() []tool.Tool {
		if _, there := provider(); !there {
			return nil
		}
		return []tool.Tool{pages.Search(provider)}
	}
}

// toolNames are those that an agent's file may name: web_search also where there
// is no provider at the moment.
func toolNames() []string {
	return append(slices.Clone(workspace.ToolNames), "web_fetch", "web_search")
}

// proxies are variables that other programs obey and fetches do not.
var proxies = []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"}
