package model

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// envProvider is the provider that OPENAI_BASE_URL, OPENAI_API_KEY and
// OPENAI_MODEL make (ruling 22).
const envProvider = "openai"

// Presets are the services whose address and key variable are well known. They
// are used when a configured provider of that name has no base URL, and by
// themselves when their key is in the environment; local servers, which need
// no key, only when configured or found.
func Presets() []Provider {
	return []Provider{
		{Name: "openai", BaseURL: "https://api.openai.com/v1", APIKeyEnv: []string{"OPENAI_API_KEY"}},
		{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", APIKeyEnv: []string{"OPENROUTER_API_KEY"}},
		{Name: "anthropic", BaseURL: "https://api.anthropic.com/v1", APIKeyEnv: []string{"ANTHROPIC_API_KEY"}},
		{Name: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", APIKeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
		{Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", APIKeyEnv: []string{"DEEPSEEK_API_KEY"}},
		{Name: "mistral", BaseURL: "https://api.mistral.ai/v1", APIKeyEnv: []string{"MISTRAL_API_KEY"}},
		{Name: "xai", BaseURL: "https://api.x.ai/v1", APIKeyEnv: []string{"XAI_API_KEY"}},
		{Name: "groq", BaseURL: "https://api.groq.com/openai/v1", APIKeyEnv: []string{"GROQ_API_KEY"}},
		{Name: "cerebras", BaseURL: "https://api.cerebras.ai/v1", APIKeyEnv: []string{"CEREBRAS_API_KEY"}},
		{Name: "together", BaseURL: "https://api.together.xyz/v1", APIKeyEnv: []string{"TOGETHER_API_KEY"}},
		{Name: "fireworks", BaseURL: "https://api.fireworks.ai/inference/v1", APIKeyEnv: []string{"FIREWORKS_API_KEY"}},
		{Name: "moonshot", BaseURL: "https://api.moonshot.ai/v1", APIKeyEnv: []string{"MOONSHOT_API_KEY"}},
		{Name: "zai", BaseURL: "https://api.z.ai/api/paas/v4", APIKeyEnv: []string{"ZAI_API_KEY", "ZHIPU_API_KEY"}},
		{Name: "dashscope", BaseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", APIKeyEnv: []string{"DASHSCOPE_API_KEY"}},
		{Name: "minimax", BaseURL: "https://api.minimax.io/v1", APIKeyEnv: []string{"MINIMAX_API_KEY"}},
		{Name: "huggingface", BaseURL: "https://router.huggingface.co/v1", APIKeyEnv: []string{"HF_TOKEN"}},
		{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1"},
		{Name: "lmstudio", BaseURL: "http://127.0.0.1:1234/v1"},
		{Name: "llamacpp", BaseURL: "http://127.0.0.1:8080/v1"},
		{Name: "vllm", BaseURL: "http://127.0.0.1:8000/v1"},
	}
}

func preset(name string) (Provider, bool) {
	all := Presets()
	i := slices.IndexFunc(all, func(p Provider) bool { return p.Name == name })
	if i < 0 {
		return Provider{}, false
	}
	return all[i], true
}

// knownHost: the address is a service that wants a key.
func knownHost(base *url.URL) bool {
	return slices.ContainsFunc(Presets(), func(p Provider) bool {
		u, err := url.Parse(p.BaseURL)
		return err == nil && len(p.APIKeyEnv) > 0 && u.Host == base.Host
	})
}

// isLocal: the address is this machine or its network, where servers usually
// want no key.
func isLocal(base *url.URL) bool {
	host := base.Hostname()
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || !strings.Contains(host, ".") && !strings.Contains(host, ":") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast())
}

// known are the providers that exist here: the configured ones, completed from
// the presets, then that of the environment, then presets with a key.
func (c *Catalog) known() []Provider {
	c.mu.Lock()
	configured := slices.Clone(c.Providers)
	c.mu.Unlock()
	var all []Provider
	for _, p := range configured {
		if pre, ok := preset(p.Name); ok {
			if p.BaseURL == "" {
				p.BaseURL = pre.BaseURL
			}
			if len(p.APIKeys)+len(p.APIKeyEnv) == 0 && p.BaseURL == pre.BaseURL {
				p.APIKeyEnv = pre.APIKeyEnv
			}
		}
		all = append(all, p)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(all, func(p Provider) bool { return p.Name == name })
	}
	base, model := c.env("OPENAI_BASE_URL"), c.env("OPENAI_MODEL")
	if !has(envProvider) && (base != "" || model != "" || c.env("OPENAI_API_KEY") != "") {
		p, _ := preset(envProvider)
		if base != "" {
			p.BaseURL = base
			if c.env("OPENAI_API_KEY") == "" && !strings.Contains(base, "api.openai.com") {
				p.APIKeyEnv = nil // a server of one's own may want none
			}
		}
		all = append(all, p)
	}
	for _, p := range Presets() {
		if !has(p.Name) && slices.ContainsFunc(p.APIKeyEnv, func(name string) bool { return c.env(name) != "" }) {
			all = append(all, p)
		}
	}
	return all
}

// resolve finds provider and model of a name.
func (c *Catalog) resolve(name string) (Provider, string, error) {
	all := c.known()
	if first, rest, ok := strings.Cut(name, "/"); ok && rest != "" {
		for _, p := range all {
			if p.Name == first {
				return p, rest, nil
			}
		}
	}
	for _, p := range all {
		if _, ok := p.Models[name]; ok {
			return p, name, nil
		}
	}
	if first, rest, ok := strings.Cut(name, "/"); ok {
		// A well-known service whose key is missing, unless a gateway is there
		// that may know the name.
		p, known := preset(first)
		if known && !slices.ContainsFunc(all, func(p Provider) bool { return !isOpenAI(p) }) {
			return p, rest, nil
		}
	}
	for _, p := range all {
		if p.Name == envProvider {
			return p, name, nil
		}
	}
	if len(all) == 1 {
		return all[0], name, nil
	}
	if len(all) == 0 {
		p, _ := preset(envProvider)
		return p, name, nil // the missing key is named by the caller
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	return Provider{}, "", fmt.Errorf("model %q: write it as provider/model; the providers are %s", name, strings.Join(names, ", "))
}

func isOpenAI(p Provider) bool { return strings.HasPrefix(p.BaseURL, "https://api.openai.com/") }

// readsFiles: services whose models read PDF files where they see images.
func readsFiles(base *url.URL) bool {
	return base.Hostname() == "api.openai.com" || base.Hostname() == "openrouter.ai"
}
