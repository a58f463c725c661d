// licences prints the licence texts of everything that was linked into programs made by
// Go: what has to go with them where they are given to other people.
//
//	go run .ci/licences.go PROGRAM…
//
// It reads the list out of the programs themselves and the texts out of the module
// cache. A module without a licence is an error: then the program may not be given away.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

var isLicence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-]|$)`)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func write(programs []string) error {
	modules, err := modulesOf(programs)
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	if err := show("The Go standard library", strings.TrimSpace(string(root))); err != nil {
		return err
	}
	ours, err := filepath.Glob("*/*.LICENSE") // of files of others that are in this tree
	if err != nil {
		return err
	}
	for _, path := range ours {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		print(filepath.ToSlash(strings.TrimSuffix(path, ".LICENSE")), text)
	}
	for _, m := range modules {
		dir, err := sourceOf(m)
		if err != nil {
			return err
		}
		if err := show(m, dir); err != nil {
			return err
		}
	}
	return nil
}

// modulesOf are those that any of the programs was made of, as path@version, sorted.
func modulesOf(programs []string) ([]string, error) {
	if len(programs) == 0 {
		return nil, fmt.Errorf("no program is named")
	}
	var all []string
	for _, p := range programs {
		info, err := buildinfo.ReadFile(p)
		if err != nil {
			return nil, err
		}
		for _, m := range info.Deps {
			all = append(all, used(m))
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func used(m *debug.Module) string {
	if m.Replace != nil {
		m = m.Replace
	}
	return m.Path + "@" + m.Version
}

// sourceOf is where a module's source is on this machine.
func sourceOf(module string) (string, error) {
	raw, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var at struct{ Dir, Error string }
	if json.Unmarshal(raw, &at) != nil || at.Dir == "" {
		return "", fmt.Errorf("%s: its source is not to be had: %v %s", module, err, at.Error)
	}
	return at.Dir, nil
}

// show prints the licences that are in a folder.
func show(name, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, f := range files {
		if !isLicence.MatchString(f.Name()) || f.IsDir() || filepath.Ext(f.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		print(name+": "+f.Name(), text)
		found = true
	}
	if !found {
		return fmt.Errorf("%s has no licence", name)
	}
	return nil
}

func print(title string, text []byte) {
	os.Stdout.WriteString("==== " + title + "\n\n" + strings.TrimSpace(string(text)) + "\n\n")
}
