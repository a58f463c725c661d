package control

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
)

const (
	maxAuditFile    = 10 << 20 // then the file is rotated
	maxAuditCommand = 4 << 10  // longer objects are cut, with their hash
	maxAuditTargets = 200
)

var firstHash = strings.Repeat("0", 64)

// AuditEntry is one decision, automatic ones too, or a change of mode or rules
// (control §7).
type AuditEntry struct {
	SessionID   string
	RunID       string
	AgentPath   []string
	Mode        string
	Decision    string // "allow", "deny", or what was changed: "mode", "rule", "config"
	Domain      string
	Targets     []string
	RulePattern string
	RuleSource  string
	By          string
	CallID      string
	Input       json.RawMessage // canonical; only its hash is kept
}

// auditLine is an entry on disk, in the order of control §7; hash is last and is
// added to the bytes (ruling 31).
type auditLine struct {
	EventID     string   `json:"eventId"`
	SessionID   string   `json:"sessionId"`
	RunID       string   `json:"runId"`
	AgentPath   []string `json:"agentPath"`
	Mode        string   `json:"mode"`
	Decision    string   `json:"decision"`
	Domain      string   `json:"permissionDomain"`
	Targets     []string `json:"targets"`
	RulePattern string   `json:"rulePattern"`
	RuleSource  string   `json:"ruleSource"`
	By          string   `json:"by"`
	CallID      string   `json:"callId"`
	InputHash   string   `json:"inputHash"`
	Timestamp   string   `json:"timestamp"`
	PrevHash    string   `json:"prevHash"`
}

// Audit is the log of decisions of one session (control §7, rulings 31, 117):
// JSON lines, each holding the hash of the one before, so that a line that was
// changed, moved or taken out shows. It is one of the three places of this
// package that touch the world. Its methods are safe for concurrent use; several
// processes may write one file. A nil Audit is one that could not be opened:
// every Append fails.
type Audit struct {
	path string

	mu   sync.Mutex // guards everything below, and one write at a time
	last string     // hash of the last line this Audit knows
	size int64      // of the file after that line; another size means another writer
}

// OpenAudit opens `<dir>/<name>.jsonl` for appending. The directory is made with
// 0700, the file with 0600.
func OpenAudit(path string) (*Audit, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open the audit: %w", err)
	}
	a := &Audit{path: path}
	last, err := a.readLast()
	if err != nil {
		return nil, fmt.Errorf("open the audit: %w", err)
	}
	a.last = last
	return a, nil
}

// AuditPath is where the audit of a session lies (ruling 31).
func AuditPath(home, workspaceID, sessionID string) string {
	return filepath.Join(home, "logs", "agent-audit", workspaceID, sessionID+".jsonl")
}

// Last is the hash of the last line, 64 zeros when there is none; run.ended
// holds it (ruling 94).
func (a *Audit) Last() string {
	if a == nil {
		return firstHash
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

// Append writes one entry and returns its hash. An error means that it is not
// on disk: in full access the call must not run then.
func (a *Audit) Append(e AuditEntry) (hash string, err error) {
	if a == nil {
		return "", errors.New("append to the audit: it could not be opened")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	lock := flock.New(a.path + ".lock")
	if err := lock.Lock(); err != nil {
		return "", fmt.Errorf("append to the audit: %w", err)
	}
	defer lock.Close()
	prev := a.last
	if info, err := os.Stat(a.path); err != nil || info.Size() != a.size || a.size == 0 {
		if prev, err = a.readLast(); err != nil {
			return "", fmt.Errorf("append to the audit: %w", err)
		}
	}
	line, hash, err := e.line(prev, time.Now())
	if err != nil {
		return "", fmt.Errorf("append to the audit: %w", err)
	}
	if err := a.rotate(int64(len(line))); err != nil {
		return "", fmt.Errorf("rotate the audit: %w", err)
	}
	if err := appendOnce(a.path, line); err != nil {
		return "", fmt.Errorf("append to the audit: %w", err)
	}
	a.last, a.size = hash, 0
	if info, err := os.Stat(a.path); err == nil {
		a.size = info.Size()
	}
	return hash, nil
}

// appendOnce adds a line with one write. After a torn last line it starts a new
// one, so that the damage stays where it is.
func appendOnce(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		var end [1]byte
		if _, err = f.ReadAt(end[:], info.Size()-1); err == nil && end[0] != '\n' {
			line = slices.Concat([]byte("\n"), line)
		}
	}
	if err == nil {
		_, err = f.Write(line)
	}
	return errors.Join(err, f.Close())
}

// line encodes an entry and its hash: hex sha256 of the line without
// `,"hash":"…"`.
func (e AuditEntry) line(prev string, now time.Time) ([]byte, string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, "", err
	}
	l := auditLine{
		EventID: id.String(), SessionID: e.SessionID, RunID: e.RunID, AgentPath: e.AgentPath, Mode: e.Mode,
		Decision: e.Decision, Domain: e.Domain, RulePattern: auditText(e.RulePattern), RuleSource: e.RuleSource, By: e.By, CallID: e.CallID,
		InputHash: hashText(string(e.Input)), Timestamp: now.UTC().Format("2006-01-02T15:04:05.000Z"), PrevHash: prev,
	}
	if l.AgentPath == nil {
		l.AgentPath = []string{}
	}
	l.Targets = []string{}
	for i, t := range e.Targets {
		if i == maxAuditTargets {
			l.Targets = append(l.Targets, fmt.Sprintf("… %d more, sha256 %s", len(e.Targets)-i, hashText(strings.Join(e.Targets[i:], "\n"))))
			break
		}
		l.Targets = append(l.Targets, auditText(t))
	}
	raw, err := compactJSON(l)
	if err != nil {
		return nil, "", err
	}
	hash := hashText(string(raw))
	return slices.Concat(raw[:len(raw)-1], []byte(`,"hash":"`+hash+"\"}\n")), hash, nil
}

// auditText redacts, and cuts at 4 KiB with the hash of the whole. The hash is
// of the redacted text: it must not help to guess a secret.
func auditText(s string) string {
	s = Redact(s)
	if len(s) <= maxAuditCommand {
		return s
	}
	n := maxAuditCommand
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "… sha256 " + hashText(s)
}

// rotate moves a full file to the next free number: the oldest is .1.
func (a *Audit) rotate(more int64) error {
	info, err := os.Stat(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Size()+more <= maxAuditFile {
		return err
	}
	for n := 1; ; n++ {
		next := a.path + "." + strconv.Itoa(n)
		if _, err := os.Lstat(next); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(a.path, next)
		} else if err != nil {
			return err
		}
	}
}

// readLast finds the hash of the last whole line, over rotation.
func (a *Audit) readLast() (string, error) {
	files, err := auditFiles(a.path)
	if err != nil {
		return "", err
	}
	for _, file := range slices.Backward(files) {
		hash, err := lastHash(file)
		if err != nil || hash != "" {
			return hash, err
		}
	}
	return firstHash, nil
}

var hashMember = onFirstUse(`,"hash":"([0-9a-f]{64})"\}$`)

// lastHash reads the end of a file. A torn last line is skipped; Verify names it.
func lastHash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	for size := int64(64 << 10); ; size *= 4 {
		from := max(0, info.Size()-size)
		tail := make([]byte, info.Size()-from)
		if _, err := f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		lines := bytes.Split(tail, []byte("\n"))
		for _, line := range slices.Backward(lines) {
			if m := hashMember().FindSubmatch(line); m != nil {
				return string(m[1]), nil
			}
		}
		if from == 0 {
			return "", nil
		}
	}
}

// auditFiles lists the rotated files of an audit, oldest first, and the current
// one.
func auditFiles(path string) ([]string, error) {
	var files []string
	for n := 1; ; n++ {
		next := path + "." + strconv.Itoa(n)
		if _, err := os.Stat(next); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return nil, err
		}
		files = append(files, next)
	}
	if _, err := os.Stat(path); err == nil {
		files = append(files, path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return files, nil
}

// AuditFault is the first line of an audit that is not as it was written.
type AuditFault struct {
	File   string
	Line   int // from 1
	Reason string
}

func (f *AuditFault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Reason) }

// VerifyAudit checks the whole chain of the audit at path, its rotated files
// first. The error is an *AuditFault that names the first bad line. A chain that
// was cut at its very end cannot be seen from the file: the last hash also
// stands in run.ended (ruling 94).
func VerifyAudit(path string) error {
	files, err := auditFiles(path)
	if err != nil {
		return fmt.Errorf("verify the audit: %w", err)
	}
	if len(files) == 0 {
		return fmt.Errorf("verify the audit: %w", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist})
	}
	prev := firstHash
	for _, file := range files {
		if prev, err = verifyFile(file, prev); err != nil {
			return err
		}
	}
	return nil
}

func verifyFile(file, prev string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("verify the audit: %w", err)
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		fault := func(reason string) error { return &AuditFault{file, n, reason} }
		body, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole {
			return "", fault("the line is torn")
		}
		m := hashMember().FindSubmatchIndex(body)
		if m == nil {
			return "", fault("the line has no hash")
		}
		bare := slices.Concat(body[:m[0]], []byte("}"))
		sum := sha256.Sum256(bare)
		hash := string(body[m[2]:m[3]])
		var l auditLine
		switch {
		case hex.EncodeToString(sum[:]) != hash:
			return "", fault("the line was changed: its hash does not fit")
		case json.Unmarshal(bare, &l) != nil:
			return "", fault("the line is not JSON")
		case l.PrevHash != prev:
			return "", fault("a line before this one was changed or taken out: prevHash does not fit")
		}
		prev = hash
	}
	return prev, nil
}
