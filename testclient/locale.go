package testclient

import (
	"os"
	"strings"
)

// PlainLocale takes the language of the machine away from this process and all that it
// starts, for a TestMain: what programs say in it is no test's subject, and bash complains
// where it is not installed.
func PlainLocale() {
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "LC_") || name == "LANG" || name == "LANGUAGE" {
			_ = os.Unsetenv(name) // fails for names that are none
		}
	}
}
