package control

import (
	"encoding/json"
	"slices"
	"strings"
)

// SecretValues are the keys, tokens and passwords that the configuration holds or
// names, literally: keys and telling headers of providers, what servers are given
// in their environment, the variables that apiKeyEnv names.
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

// keyNamesIn collects what stands below members called apiKeyEnv.
func keyNamesIn(names []string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		for member, value := range v {
			if strings.EqualFold(member, "apiKeyEnv") {
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
			if !soundsSecret(name) || strings.EqualFold(name, "apiKeyEnv") {
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
		case strings.EqualFold(name, "apiKeyEnv"):
			found = append(found, env(v))
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

// SecretName says that a variable of this name may hold a secret.
func SecretName(name string) bool {
	upper := strings.ToUpper(name)
	return soundsSecret(name) || strings.HasSuffix(upper, "_PAT") || strings.HasSuffix(upper, "_DSN") || upper == "DATABASE_URL"
}
