package model

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// envProvider is the provider that OPENAI_BASE_URL, OPENAI_API_KEY and
// OPENAI_MODEL make.
const envProvider = "openai"

// azureProvider has no address of its own but one for each resource, and in it one
// for each deployment (address.go). Azure's own clients look for it under the
// same names.
const (
	azureProvider   = "azure"
	azureAddress    = "AZURE_OPENAI_ENDPOINT"
	azureAPIVersion = "OPENAI_API_VERSION"
)

// Presets are the services whose address and key variable are well known. They
// are used when a configured provider of that name has no base URL, and by
// themselves when their key is in the environment. Local servers need no key:
// naming one, as in ollama/qwen3, is enough. Whatever a configuration says of a
// provider of that name wins, member by member.
func Presets() []Provider {
	return []Provider{
		{Name: "openai", BaseURL: "https://api.openai.com/v1", APIKeyEnv: []string{"OPENAI_API_KEY"}},
		{Name: azureProvider, APIKeyEnv: []string{"AZURE_OPENAI_API_KEY", "AZURE_API_KEY"}, KeyHeader: azureKeyHeader},
		{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", APIKeyEnv: []string{"OPENROUTER_API_KEY"}},
		{Name: "anthropic", BaseURL: "https://api.anthropic.com/v1", APIKeyEnv: []string{"ANTHROPIC_API_KEY"}},
		{Name: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", APIKeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
		{Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", APIKeyEnv: []string{"DEEPSEEK_API_KEY"}},
		// Mistral gives usage without being asked, and has refused the asking; ids of
		// calls that others gave must be rewritten for it.
		{Name: "mistral", BaseURL: "https://api.mistral.ai/v1", APIKeyEnv: []string{"MISTRAL_API_KEY"}, Quirks: []string{quirkStreamOptions, quirkCallIDs}},
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

// isLocalPreset: a preset that is there without a key and without being
// configured.
func isLocalPreset(p Provider) bool { return len(p.APIKeyEnv) == 0 }

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
	return isAzureHost(base) || slices.ContainsFunc(Presets(), func(p Provider) bool {
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
			p = c.completed(p, pre)
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
	for _, pre := range Presets() {
		p := c.completed(Provider{Name: pre.Name}, pre)
		if !has(p.Name) && p.BaseURL != "" && c.hasKey(p) {
			all = append(all, p)
		}
	}
	return all
}

// hasKey: one of the provider's variables is set.
func (c *Catalog) hasKey(p Provider) bool {
	return slices.ContainsFunc(p.APIKeyEnv, func(name string) bool { return c.env(name) != "" })
}

// completed takes from the preset what the configuration does not say. The
// variables of its key are for its own service: they are not looked at for an
// address of the person's, which would be sent the key.
func (c *Catalog) completed(p, pre Provider) Provider {
	service := pre.BaseURL
	if p.Name == azureProvider {
		service = c.env(azureAddress)
		if p.APIVersion == "" {
			p.APIVersion = c.env(azureAPIVersion)
		}
	}
	if p.BaseURL == "" {
		p.BaseURL = service
	}
	base, err := parseBase(p.BaseURL)
	own := p.BaseURL == service || p.Name == azureProvider && err == nil && isAzureHost(base)
	if len(p.APIKeys)+len(p.APIKeyEnv) == 0 && own {
		p.APIKeyEnv = pre.APIKeyEnv
	}
	if p.KeyHeader == "" {
		p.KeyHeader = pre.KeyHeader
	}
	if p.Quirks == nil {
		p.Quirks = pre.Quirks
	}
	return p
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
	if c.isOnlyProvider(name, all) {
		return Provider{}, "", onlyProvider(strings.TrimSuffix(name, "/"))
	}
	if first, rest, ok := strings.Cut(name, "/"); ok && rest != "" {
		if p, known := preset(first); known && isLocalPreset(p) {
			return p, rest, nil // it needs nothing but to be named
		}
	}
	if first, rest, ok := strings.Cut(name, "/"); ok {
		// A well-known service of which something is missing, unless a gateway is
		// there that may know the name.
		p, known := preset(first)
		if known && (c.hasKey(p) || !slices.ContainsFunc(all, func(p Provider) bool { return !isOpenAI(p) })) {
			return c.completed(Provider{Name: p.Name}, p), rest, nil
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
