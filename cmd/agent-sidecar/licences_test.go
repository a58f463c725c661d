package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// What goes into a program that is given to people has a licence that goes with it.
func TestLicences(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	print := exec.Command("go", "run", ".ci/licences.go", program)
	print.Dir, print.Stderr = "../..", os.Stderr
	texts, err := print.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"==== The Go standard library: LICENSE\n", "==== model/o200k_base\n", "==== mvdan.cc/sh/v3@v", "==== golang.org/x/sys@v", "Redistributions in binary form"} {
		if !strings.Contains(string(texts), name) {
			t.Errorf("the licences do not have %q", name)
		}
	}
}
