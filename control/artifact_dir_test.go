package control

import "testing"

func TestArtifactDir(t *testing.T) {
	for name, ok := range map[string]bool{
		".agent-output": true, "out": true, "my artifacts": true, "日本": true, "..a": true,
		"": false, ".": false, "..": false, "../x": false, "a/b": false, "a/": false, "/abs": false, `a\b`: false, `C:`: false, "a\nb": false, "a\x00b": false,
		".git": false, ".GIT": false, ".vscode": false, ".agent": false, ".github": false, ".ssh": false, ".aws": false, ".husky": false,
	} {
		if err := CheckDir(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
