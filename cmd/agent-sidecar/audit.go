package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// audit verifies or prints audits (control §7): verify all of them by default, show
// those of this directory.
func (p *program) audit(words []string) int {
	op, words := first(words), rest(words)
	if op != "verify" && op != "show" || len(words) > 1 {
		return p.misused("audit takes: verify [session|file], show [session|file]")
	}
	paths, err := p.audits(op, first(words))
	if err != nil {
		return p.fail("%v", err)
	}
	if len(paths) == 0 {
		return p.show([]byte("There is no audit here yet.\n"))
	}
	code := 0
	for _, path := range paths {
		if op == "show" {
			code = max(code, p.showAudit(path, len(paths) > 1))
		} else {
			code = max(code, p.verifyAudit(path))
		}
	}
	return code
}

// verifyAudit checks one chain, also against the hashes that the session's own log
// names, so that lines that were cut off at the end show.
func (p *program) verifyAudit(path string) int {
	lines, err := control.VerifyAudit(path, p.sealed(path)...)
	if _, bad := errors.AsType[*control.AuditFault](err); !bad && err != nil {
		return p.fail("%s", control.Title(err.Error(), 0))
	}
	if err != nil {
		return max(p.show(fmt.Appendf(nil, "BAD  %s\n", control.Title(err.Error(), 0))), 1)
	}
	note := ""
	if info, err := os.Stat(path + ".torn"); err == nil {
		note = fmt.Sprintf("; a writer died within a line, %d bytes are in %s.torn", info.Size(), path)
	}
	return p.show(fmt.Appendf(nil, "ok   %s: %d lines%s\n", control.Title(path, 0), lines, control.Title(note, 0)))
}

// sealed are the hashes of run.ended events of the session that an audit of this
// home belongs to, in order; none where the session was deleted.
func (p *program) sealed(path string) []string {
	rel, err := filepath.Rel(filepath.Join(p.home, "logs", "agent-audit"), path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return nil
	}
	var hashes []string
	log := filepath.Join(p.home, "sessions", strings.TrimSuffix(rel, ".jsonl"), history.LogFile)
	if info, err := os.Stat(log); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	_, err = durable.ReadFrom(log, 0, func(line []byte, _ int64) bool {
		var e struct {
			Type string
			Data struct{ Audit string }
		}
		if json.Unmarshal(line, &e) == nil && e.Type == "run.ended" && e.Data.Audit != "" {
			hashes = append(hashes, e.Data.Audit)
		}
		return true
	})
	if err != nil {
		fmt.Fprintf(p.err, "agent-sidecar: %s: %s\n", control.Title(log, 0), control.Title(err.Error(), 0))
	}
	return hashes
}

// showAudit prints one audit, a decision a line, for a person: what a model wrote
// cannot move the cursor or make a line of its own.
func (p *program) showAudit(path string, several bool) int {
	out := bufio.NewWriter(p.out)
	if several {
		fmt.Fprintf(out, "== %s\n", control.Title(path, 0))
	}
	err := control.ReadAudit(path, func(l *control.AuditLine, raw string) {
		if l == nil {
			fmt.Fprintf(out, "? %s\n", control.Title(raw, 200))
			return
		}
		rule := "-"
		if l.RulePattern != "" {
			rule = fmt.Sprintf("%q (%s)", control.Title(l.RulePattern, 200), l.RuleSource)
		}
		who := strings.Join(append([]string{l.By}, l.AgentPath...), " ")
		line := fmt.Sprintf("%s  %-11s %-7s %-10s %-14s %-10s %-30s %s", l.Timestamp, l.Mode, l.Decision, or(l.Domain, "-"), who, or(l.CallID, "-"), rule, strings.Join(l.Targets, " · "))
		fmt.Fprintln(out, control.Title(strings.TrimRight(line, " "), 0))
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return p.fail("%v", err)
	}
	if _, err := control.VerifyAudit(path, p.sealed(path)...); err != nil {
		return p.fail("this audit is not as it was written: %s", control.Title(err.Error(), 0))
	}
	return 0
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// audits finds what a word names: a file, a session of this directory or else of
// any, or without a word what there is.
func (p *program) audits(op, word string) ([]string, error) {
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
	named := slices.DeleteFunc(all, func(path string) bool { return filepath.Base(path) != word+".jsonl" })
	if mine := in(named, here); len(mine) > 0 {
		return mine, nil
	}
	switch len(named) {
	case 1:
		return named, nil
	case 0:
		return nil, fmt.Errorf("there is no audit of a session %q", word)
	}
	return nil, fmt.Errorf("session %q is in several workspaces; name one file: %s", word, strings.Join(named, " "))
}

// allAudits lists the audits of every workspace, and those that a session's log
// names though they are gone.
func (p *program) allAudits(root string) ([]string, error) {
	found := map[string]bool{}
	err := twoLevels(root, func(workspace, name string) {
		if base, _, ours := strings.Cut(name, ".jsonl"); ours && !strings.HasSuffix(name, ".lock") {
			found[filepath.Join(root, workspace, base+".jsonl")] = true
		}
	})
	if err != nil {
		return nil, err
	}
	err = twoLevels(filepath.Join(p.home, "sessions"), func(workspace, session string) {
		path := filepath.Join(root, workspace, session+".jsonl")
		if !found[path] && slices.ContainsFunc(p.sealed(path), func(h string) bool { return strings.Trim(h, "0") != "" }) {
			found[path] = true
		}
	})
	var all []string
	for path := range found {
		all = append(all, path)
	}
	slices.Sort(all)
	return all, err
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
