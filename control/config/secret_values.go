package config

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// SecretValues are the keys, tokens and passwords that the configuration holds or
// names, literally: keys and telling headers of providers, what servers are given
// in their environment, the variables that apiKeyEnv and clientSecretEnv name.
func (s *Settings) SecretValues(env func(string) string) []string {
	var found []string
	for i := range Keys {
		var v any
		if Keys[i].kind == kindObject && json.Unmarshal(s.Values[Keys[i].Path], &v) == nil {
			found = secretsIn(found, v, "", env)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// SecretNames are the variables that the configuration says hold a key, whatever they
// are called: no command gets them.
func (s *Settings) SecretNames() []string {
	var names []string
	for i := range Keys {
		var v any
		if Keys[i].kind == kindObject && json.Unmarshal(s.Values[Keys[i].Path], &v) == nil {
			names = keyNamesIn(names, v)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// SecretVariable tells which variables are secrets whatever they are called: those
// that hold a key by the configuration's word, and those whose value has a secret in
// it, known by its form, by the configuration, or as an argument that sounds like one
// (-Dstore.password=…). env gives the variables that the configuration names.
func (s *Settings) SecretVariable(env func(string) string) func(name, value string) bool {
	return SecretVariable(s.SecretNames(), s.SecretValues(env))
}

// SecretVariable is Settings.SecretVariable for names and values that are known otherwise.
func SecretVariable(names, values []string) func(name, value string) bool {
	return func(name, value string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) ||
			slices.ContainsFunc(values, func(v string) bool { return len(v) >= leastSecret && strings.Contains(value, v) }) ||
			len(secrets.Shapes(value)) > 0 || len(secrets.Find(value)) > 0 || givesSecret(value)
	}
}

// leastSecret is how long a key of the configuration is at least, in bytes, to be looked
// for inside other texts.
const leastSecret = 8

// opensDoors are further words in the names of arguments.
var opensDoors = lazy.Regexp(`pass|pwd|auth|bearer|jwt`)

// givesSecret says that a value gives something to a name that sounds like a secret.
func givesSecret(value string) bool {
	for {
		front, behind, is := strings.Cut(value, "=")
		if !is {
			return false
		}
		start := strings.LastIndexFunc(front, func(r rune) bool {
			return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') && r != '_' && r != '.' && r != '-'
		}) + 1
		if named := strings.ToLower(front[start:]); (SecretName(named) || opensDoors().MatchString(named)) && strings.Trim(behind, ` "'`) != "" {
			return true
		}
		value = behind
	}
}

// keyNamesIn collects what is below members that name variables.
func keyNamesIn(names []string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		for member, value := range v {
			if namesSecret(member) {
				names = append(names, textsIn(value)...)
			} else {
				names = keyNamesIn(names, value)
			}
		}
	case []any:
		for _, value := range v {
			names = keyNamesIn(names, value)
		}
	}
	return names
}

// textsIn is one text, or the texts of a list.
func textsIn(v any) (texts []string) {
	switch v := v.(type) {
	case string:
		texts = append(texts, v)
	case []any:
		for _, value := range v {
			texts = append(texts, textsIn(value)...)
		}
	}
	return texts
}

// secretsIn collects the texts below members that sound like secrets. Below
// headers and env only those count whose own name does: the others are names of
// programs, languages, paths.
func secretsIn(found []string, v any, name string, env func(string) string) []string {
	switch v := v.(type) {
	case map[string]any:
		for inner, value := range v {
			if !soundsSecret(name) || namesKey(name) {
				found = secretsIn(found, value, inner, env)
			} else {
				found = secretsIn(found, value, name, env)
			}
		}
	case []any:
		for i, value := range v {
			flag := ""
			if i > 0 {
				flag, _ = v[i-1].(string)
			}
			if strings.HasPrefix(flag, "-") && !strings.Contains(flag, "=") && soundsSecret(flag) {
				found = secretsIn(found, value, flag, env)
			} else {
				found = secretsIn(found, value, name, env)
			}
		}
	case string:
		switch {
		case namesSecret(name):
			found = append(found, env(v))
		case strings.EqualFold(name, "keyFile"):
		case strings.EqualFold(name, "proxy"):
			found = append(found, proxySecrets(v)...)
		case soundsSecret(name):
			found = append(found, strings.TrimPrefix(strings.TrimPrefix(v, "Bearer "), "Basic "))
		default:
			for _, at := range secretArgument().FindAllStringIndex(v, -1) {
				_, value, _ := strings.Cut(v[at[0]:at[1]], "=")
				found = append(found, value)
			}
		}
	}
	return found
}

// SecretName says that a variable of this name may contain a secret.
func SecretName(name string) bool {
	upper := strings.ToUpper(name)
	return soundsSecret(name) || strings.HasSuffix(upper, "_PAT") || strings.HasSuffix(upper, "_DSN") || upper == "DATABASE_URL"
}

// proxySecrets are the user and the password of a proxy as it is written, and as they are meant.
func proxySecrets(proxy string) []string {
	from := strings.Index(proxy, "://")
	to := strings.LastIndexByte(proxy, '@')
	if from < 0 || to < from {
		return nil
	}
	_, password, both := strings.Cut(proxy[from+len("://"):to], ":")
	if !both {
		password = proxy[from+len("://") : to] // some write a token in the place of a user
	}
	secrets := []string{password}
	if plain, err := url.PathUnescape(password); err == nil && plain != password {
		secrets = append(secrets, plain)
	}
	return secrets
}
