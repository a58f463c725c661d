package config

import (
	"strings"
	"testing"
)

func TestShownHidesKeys(t *testing.T) {
	s, _ := openStore(t, `{"providers":{"p":{"baseUrl":"http://u:pw@h/v1","apiKeys":["abc"],"apiKeyEnv":["NAME"]}},"mcp":{"m":{"command":["x","--token","abc","--api-key=abc","API_KEY=abc","-v","shown"],"url":"https://h/?x=1&api_key=abc&y=2","env":{"A":"abc"},"headers":{"B":"abc"}}},
		"hooks":{"tool.before":[{"command":["curl","https://me:abc@h/"]}]},"webSearch":{"token":"abc"}}`)
	shown := s.Settings().Shown()
	text := string(shown["providers"]) + string(shown["mcp"]) + string(shown["hooks"]) + string(shown["webSearch"])
	for _, plain := range []string{"shown", "x=1", "y=2", "curl"} {
		if !strings.Contains(text, plain) {
			t.Errorf("%s is hidden too: %s", plain, text)
		}
	}
	if strings.Contains(text, "abc") || strings.Contains(text, "pw") || !strings.Contains(text, "NAME") || !strings.Contains(text, "«set»") {
		t.Error(text)
	}
	if !strings.Contains(string(s.Settings().Providers), "abc") {
		t.Error("the values themselves were changed")
	}
}
