package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// audit verifies or prints audits: verify all of them by default, show those of
// this directory.
func (p *program) audit(words []string) int {
	op, words := first(words), rest(words)
	if op != "verify" && op != "show" || len(words) > 1 {
		return p.misused("audit takes: verify [session|file], show [session|file]")
	}
	a := p.auditor()
	paths, err := a.audits(op, first(words))
	if err != nil {
		return p.fail("%v", err)
	}
	code := 0
	if op == "verify" && first(words) == "" {
		code = a.verifyHome()
	}
	if len(paths) == 0 && code == 0 {
		return p.show(p.words("There is no audit here yet.\n"))
	}
	for _, path := range paths {
		if op == "show" {
			code = max(code, a.showAudit(path, len(paths) > 1))
		} else {
			code = max(code, a.verifyAudit(path))
		}
	}
	return code
}

// verifyAudit checks one chain, also against the hashes that the session's own log
// names, so that lines that were cut off at the end show.
func (p *auditor) verifyAudit(path string) int {
	lines, err := audit.Verify(path, p.sealed(path)...)
	if _, bad := errors.AsType[*audit.Fault](err); !bad && err != nil {
		return p.fail("%v", err)
	}
	if err != nil {
		return max(p.show(p.words("BAD  %v\n", err)), 1)
	}
	note := shown("")
	if info, err := os.Stat(path + ".torn"); err == nil {
		note = p.words("; a writer died within a line, %d bytes are in %s.torn", info.Size(), path)
	}
	return p.show(p.words("ok   %s: %d lines%s\n", path, lines, note))
}

// sealed are the hashes that an audit of this home must have, in order: those that it had
// when its session was deleted, and those of run.ended events in the session's log.
func (p *auditor) sealed(path string) []string {
	rel, err := filepath.Rel(filepath.Join(p.home, "logs", "agent-audit"), path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return nil
	}
	hashes := slices.Clone(p.last[path])
	log := filepath.Join(p.home, "sessions", strings.TrimSuffix(rel, ".jsonl"), history.LogFile)
	if info, err := os.Stat(log); err != nil || !info.Mode().IsRegular() {
		return hashes
	}
	_, err = durable.ReadFrom(log, 0, func(line []byte, _ int64) bool {
		var e struct {
			Type string
			Data struct {
				Audit string
				Moved bool
			}
		}
		switch {
		case json.Unmarshal(line, &e) != nil:
		case e.Type == "run.ended" && e.Data.Audit != "":
			hashes = append(hashes, e.Data.Audit)
		case e.Type == "session.changed" && e.Data.Moved: // what came before was decided, and written down, on another machine
			hashes = slices.Clone(p.last[path])
		}
		return true
	})
	if err != nil {
		p.note("%s: %v", log, err)
	}
	return hashes
}

// showAudit prints one audit, a decision a line, for a person: what a model wrote
// cannot move the cursor or make a line of its own.
func (p *auditor) showAudit(path string, several bool) int {
	out, flush := p.out.buffered()
	if several {
		out.say("== %s\n", path)
	}
	err := audit.Read(path, func(l *audit.Line, raw string) {
		if l == nil {
			out.say("? %s\n", title(raw, 200))
			return
		}
		rule := "-"
		if l.RulePattern != "" {
			rule = fmt.Sprintf("%q (%s)", control.Title(l.RulePattern, 200), l.RuleSource)
		}
		who := strings.Join(append([]string{l.By}, l.AgentPath...), " ")
		line := fmt.Sprintf("%s  %-11s %-7s %-10s %-14s %-10s %-30s %s", l.Timestamp, l.Mode, l.Decision, cmp.Or(string(l.Domain), "-"), who, cmp.Or(l.CallID, "-"), rule, strings.Join(l.Targets, " · "))
		out.say("%s\n", strings.TrimRight(line, " "))
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return p.fail("%v", err)
	}
	if _, err := audit.Verify(path, p.sealed(path)...); err != nil {
		return p.fail("this audit has been changed: %v", err)
	}
	return 0
}

// audits finds what a word names: a file, a session of this directory or else of
// any, or without a word what there is.
func (p *auditor) audits(op, word string) ([]string, error) {
	root := filepath.Join(p.home, "logs", "agent-audit")
	if strings.ContainsRune(word, filepath.Separator) || strings.Contains(word, ".jsonl") {
		path, err := filepath.Abs(word)
		if dot := strings.LastIndex(path, ".jsonl."); dot >= 0 {
			path = path[:dot] + ".jsonl" // a rotated file is a part of its chain
		}
		return []string{path}, err
	}
	here, err := workspaceHere()
	if err != nil {
		return nil, err
	}
	all, err := p.allAudits(root)
	if err != nil {
		return nil, err
	}
	in := func(paths []string, workspace string) []string {
		return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return filepath.Base(filepath.Dir(path)) != workspace })
	}
	if word == "" && op == "verify" {
		return all, nil
	}
	if word == "" {
		return in(all, here), nil
	}
	named := slices.DeleteFunc(all, func(path string) bool { return filepath.Base(path) != sessionID(word)+".jsonl" })
	if mine := in(named, here); len(mine) > 0 {
		return mine, nil
	}
	switch len(named) {
	case 1:
		return named, nil
	case 0:
		return nil, told(said.That("there is no audit of a session %q", word))
	}
	return nil, told(said.That("session %q is in several workspaces; name one file: %s", word, strings.Join(named, " ")))
}

// allAudits lists the audits of every workspace, and those that a session's log
// names though they are gone.
func (p *auditor) allAudits(root string) ([]string, error) {
	found := map[string]bool{}
	for _, e := range p.names(root) {
		if e.IsDir() {
			for _, path := range p.chainsIn(filepath.Join(root, e.Name())) {
				found[path] = true
			}
		}
	}
	for path, hashes := range p.last {
		found[path] = found[path] || slices.ContainsFunc(hashes, func(h string) bool { return strings.Trim(h, "0") != "" })
	}
	err := twoLevels(filepath.Join(p.home, "sessions"), func(workspace, session string) {
		path := filepath.Join(root, workspace, session+".jsonl")
		if !found[path] && slices.ContainsFunc(p.sealed(path), func(h string) bool { return strings.Trim(h, "0") != "" }) {
			found[path] = true
		}
	})
	maps.DeleteFunc(found, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(found)), err
}

// twoLevels calls f with the names of <dir>/<one>/<two>.
func twoLevels(dir string, f func(one, two string)) error {
	outer, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, o := range outer {
		if !o.IsDir() {
			continue
		}
		inner, err := os.ReadDir(filepath.Join(dir, o.Name()))
		if err != nil {
			return err
		}
		for _, i := range inner {
			f(o.Name(), i.Name())
		}
	}
	return nil
}

// workspaceHere is the id of this directory.
func workspaceHere() (string, error) {
	dir, err := directory(nil)
	if err != nil {
		return "", err
	}
	vault, err := workspace.Open([]workspace.Folder{{Name: filepath.Base(dir), Path: dir}}, workspace.Options{})
	if err != nil {
		return "", err
	}
	return vault.WorkspaceID(), vault.Close()
}

// audits are those of the sessions of a workspace.
type audits struct {
	w         *wiring
	workspace string
}

func (a audits) Audit(sessionID string) *audit.Log { return a.w.audit(a.workspace, sessionID) }
func (a audits) AuditSessions() *audit.Log         { return a.w.auditSessions() }
