package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// arguments is the layer of the configuration that --config, --set and --profile are.
func (l layer) arguments() (config.Arguments, error) {
	a := config.Arguments{Set: l.set, Profile: l.profile}
	if l.configFile == "" {
		return a, nil
	}
	abs, err := filepath.Abs(l.configFile)
	if err != nil {
		return a, misuse{err}
	}
	if inHere(abs) || inHere(resolved(abs)) {
		return a, misuse{told(said.That("--config: %s is in the directory that is worked in, where a model or the project can write it; keep it elsewhere", l.configFile))}
	}
	f, err := os.Open(abs)
	if err != nil {
		return a, misuse{fmt.Errorf("--config: %w", err)}
	}
	defer f.Close()
	text, err := textOf(f, l.configFile)
	if err != nil {
		return a, misuse{err}
	}
	a.File, a.Text = abs, []byte(text)
	return a, nil
}

// inHere says whether a path is in this directory.
func inHere(path string) bool {
	here, err := os.Getwd()
	if err != nil {
		return true
	}
	for _, dir := range []string{here, resolved(here)} {
		rel, err := filepath.Rel(dir, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// openConfig opens the configuration of this start.
func (w *wiring) openConfig(o config.Options) (*config.Store, error) {
	var err error
	if o.Arguments, err = w.layer.arguments(); err != nil {
		return nil, err
	}
	conf, err := config.Open(w.home, o)
	if wrong, is := errors.AsType[*config.ArgumentError](err); is {
		return nil, misuse{wrong}
	}
	return conf, err
}
