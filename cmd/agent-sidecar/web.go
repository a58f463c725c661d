package main

import (
	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/store"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/web"
)

// web is the way to the network of the tools. The sessions judge every address;
// they are asked for when there are some, nil means that nothing may be fetched.
func (w *wiring) web(sessions func() *store.Store) *web.Web {
	if sessions == nil {
		return web.New(web.Options{Version: version})
	}
	return web.New(web.Options{Version: version, Judge: func(id, object string) web.Judgement {
		d := sessions().JudgeFetch(id, object)
		verdict := map[control.Verdict]web.Verdict{control.Allow: web.Allowed, control.Ask: web.Asked}[d.Verdict]
		return web.Judgement{Verdict: verdict, Opened: d.Opens}
	}})
}

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
func toolNames(tools []tool.Tool) []string {
	return append(tool.NewSet(tools...).Names(), "web_search")
}

// proxies are variables that other programs obey and fetches do not.
var proxies = []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"}
