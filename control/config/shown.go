package config

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Masked is what is in place of a secret wherever a configuration is shown.
const Masked = "«set»"

// Shown is every effective value for a person to look at: Values, with keys,
// headers and environment values of connections as «set».
func (s *Settings) Shown() map[string]json.RawMessage {
	out := maps.Clone(s.Values)
	for i := range Keys {
		path := Keys[i].Path
		var v any
		if Keys[i].kind != kindObject || json.Unmarshal(out[path], &v) != nil || v == nil {
			continue
		}
		raw, err := tool.CompactJSON(maskSecrets(v, false))
		if err != nil {
			raw = json.RawMessage(`"` + Masked + `"`) // rather nothing than a secret
		}
		out[path] = raw
	}
	return out
}

// maskSecrets hides every text below a member that holds secrets, and in command
// lines and addresses what follows a name that sounds like one.
func maskSecrets(v any, hidden bool) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			lower := strings.ToLower(name)
			if proxy, is := inner.(string); is && lower == "proxy" {
				inner = ShownProxy(proxy)
			}
			v[name] = maskSecrets(inner, hidden || lower == "headers" || lower == "env" || !namesKey(lower) && soundsSecret(lower))
		}
	case []any:
		for i := range v {
			flag := ""
			if i > 0 {
				flag, _ = v[i-1].(string)
			}
			v[i] = maskSecrets(v[i], hidden || strings.HasPrefix(flag, "-") && !strings.Contains(flag, "=") && soundsSecret(flag))
		}
	case string:
		if hidden {
			return Masked
		}
		return secretArgument().ReplaceAllString(secrets.Redact(v), "${1}"+Masked)
	}
	return v
}

// secretArgument is a value behind a name: ?api_key=…, --token=…, PASSWORD=….
var secretArgument = lazy.Regexp(`(?i)((?:^|[?&;]|\s|--?)[\w.-]*(?:key|token|secret|passw|signature)[\w.-]*=)[^&;#\s]+`)

// namesSecret says that what is below a member is the name of a variable that holds a secret.
func namesSecret(member string) bool {
	return strings.EqualFold(member, "apiKeyEnv") || strings.EqualFold(member, "clientSecretEnv")
}

// namesKey says that what is below a member says only where a key is.
func namesKey(member string) bool {
	return namesSecret(member) || strings.EqualFold(member, "keyFile")
}

func soundsSecret(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"key", "token", "secret", "passw", "credential", "authorization"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// ShownProxy is the address of a proxy without its user and password.
func ShownProxy(proxy string) string {
	from := strings.Index(proxy, "://")
	if from >= 0 {
		from += len("://")
	} else {
		from = 0
	}
	if to := strings.LastIndexByte(proxy, '@'); to >= from {
		return proxy[:from] + Masked + proxy[to:]
	}
	return proxy
}
