// Package audit writes down what was decided and checks what is written. It
// decides nothing: it is told.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

const (
	maxFile    = 10 << 20 // then the file is rotated
	maxText    = 4 << 10  // longer objects are cut, with their hash
	maxTargets = 200
	maxLine    = 256 << 10 // fewer targets are named then, with the hash of the others
)

var firstHash = strings.Repeat("0", 64)

// Entry is one decision, automatic ones too, or a change of mode or rules.
type Entry struct {
	SessionID   string
	RunID       string
	AgentPath   []string
	Mode        tool.Mode
	Decision    string // "allow", "deny", or what was changed: "mode", "rule", "config", "undo"
	Domain      tool.Domain
	Targets     []string
	RulePattern string
	RuleSource  string
	By          string
	CallID      string
	Runner      string          // on whose machine the call would work; "": this one
	Input       json.RawMessage // canonical; only its hash is kept
}

// Line is an entry on disk, in the order of its members. Its hash is last and
// is added to the bytes.
type Line struct {
	EventID     string      `json:"eventId"`
	SessionID   string      `json:"sessionId"`
	RunID       string      `json:"runId"`
	AgentPath   []string    `json:"agentPath"`
	Mode        tool.Mode   `json:"mode"`
	Decision    string      `json:"decision"`
	Domain      tool.Domain `json:"permissionDomain"`
	Targets     []string    `json:"targets"`
	RulePattern string      `json:"rulePattern"`
	RuleSource  string      `json:"ruleSource"`
	By          string      `json:"by"`
	CallID      string      `json:"callId"`
	Runner      string      `json:"runner,omitempty"`
	InputHash   string      `json:"inputHash"`
	Timestamp   string      `json:"timestamp"`
	PrevHash    string      `json:"prevHash"`
}

// Log is the audit of one session: JSON lines, each with the hash of the one
// before, so that a line that was changed, moved or taken out shows. Its methods
// are safe for concurrent use; several processes may write one file. A nil Log is
// one that could not be opened: every Append fails.
type Log struct {
	disk *durable.Disk
	path string

	mu   sync.Mutex    // guards everything below, and one write at a time
	last string        // hash of the last line this Log knows
	seen durable.Stamp // of the file after that line; another one means another writer
}

// Open opens `<dir>/<name>.jsonl` for appending. The directory is made with
// 0700, the file with 0600. disk nil is the plain one.
func Open(disk *durable.Disk, path string) (*Log, error) {
	if err := disk.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open the audit: %w", err)
	}
	a := &Log{disk: disk, path: path}
	last, err := lastOf(path)
	if err != nil {
		return nil, fmt.Errorf("open the audit: %w", err)
	}
	a.last = last
	return a, nil
}

// Path is where the audit of a session lies.
func Path(home, workspaceID, sessionID string) string {
	return filepath.Join(home, "logs", "agent-audit", workspaceID, sessionID+".jsonl")
}

// Seal makes every line survive a power cut and gives the hash of the last one, 64
// zeros when there is none: run.ended holds it, so that a chain that is cut at its
// end shows.
func (a *Log) Seal() string {
	if a == nil {
		return firstHash
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == firstHash {
		return firstHash // there is nothing to seal, and no file is made for it
	}
	if log, err := a.disk.OpenLog(a.path); err == nil {
		_ = log.Sync() // the hash is true even where the disk is not
		_ = log.Close()
	}
	return a.last
}

// Append writes one entry and returns its hash. An error means that it is not
// on disk: in full access the call must not run then.
func (a *Log) Append(e Entry) (hash string, err error) {
	if a == nil {
		return "", errors.New("append to the audit: it could not be opened")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	hash, err = a.append(e)
	if err != nil {
		return "", fmt.Errorf("append to the audit: %w", err)
	}
	return hash, nil
}

// append is one line under both locks.
func (a *Log) append(e Entry) (string, error) {
	lock, err := durable.LockBeside(a.path)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	prev := a.last
	if now := durable.StampOf(a.path); !now.Exists || now != a.seen {
		if prev, err = lastOf(a.path); err != nil {
			return "", err
		}
	}
	line, hash, err := e.line(prev, time.Now())
	if err != nil {
		return "", err
	}
	if err := a.rotate(int64(len(line)) + 1); err != nil {
		return "", fmt.Errorf("rotate: %w", err)
	}
	if err := a.write(line); err != nil {
		return "", err
	}
	a.last, a.seen = hash, durable.StampOf(a.path)
	return hash, nil
}

// write adds a line with one write. What a dead writer left of a line is set aside
// in `<path>.torn`: it says what was about to be decided, and is no link of the
// chain.
func (a *Log) write(line []byte) error {
	log, err := a.disk.OpenLog(a.path)
	if errors.Is(err, durable.ErrTorn) {
		if _, err = a.disk.CutTorn(a.path, a.path+".torn"); err == nil {
			log, err = a.disk.OpenLog(a.path)
		}
	}
	if err != nil {
		return err
	}
	_, err = log.Append(line)
	return errors.Join(err, log.Close())
}

// line encodes an entry and its hash, without a line end: hex sha256 of the line
// without `,"hash":"…"`.
func (e Entry) line(prev string, now time.Time) ([]byte, string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, "", err
	}
	l := Line{
		EventID: id.String(), SessionID: e.SessionID, RunID: e.RunID, AgentPath: e.AgentPath, Mode: e.Mode,
		Decision: e.Decision, Domain: e.Domain, RulePattern: redacted(e.RulePattern), RuleSource: e.RuleSource, By: e.By, CallID: redacted(e.CallID),
		Runner: e.Runner, InputHash: hashText(string(e.Input)), Timestamp: now.UTC().Format("2006-01-02T15:04:05.000Z"), PrevHash: prev,
	}
	if l.AgentPath == nil {
		l.AgentPath = []string{}
	}
	// Whatever a call names, the line that tells of it can be written.
	for most := maxTargets; ; most /= 2 {
		l.Targets = listed(e.Targets, most)
		raw, err := tool.CompactJSON(l)
		if err != nil {
			return nil, "", err
		}
		if len(raw) <= maxLine || most == 0 {
			hash := hashText(string(raw))
			return slices.Concat(raw[:len(raw)-1], []byte(`,"hash":"`+hash+`"}`)), hash, nil
		}
	}
}

// listed names at most so many targets, and the others by their number and
// hash.
func listed(targets []string, most int) []string {
	shown := []string{}
	for _, t := range targets[:min(most, len(targets))] {
		shown = append(shown, redacted(t))
	}
	if rest := targets[len(shown):]; len(rest) > 0 {
		shown = append(shown, fmt.Sprintf("… %d more, sha256 %s", len(rest), hashText(redacted(strings.Join(rest, "\n")))))
	}
	return shown
}

// maxRedacted bounds the search for secrets, whose time grows with the text: what
// comes behind is never shown.
const maxRedacted = 64 << 10

// redacted redacts, and cuts at 4 KiB with the hash of the whole. The hash is
// of the redacted text: it must not help to guess a secret.
func redacted(s string) string {
	rest := ""
	if len(s) > maxRedacted {
		s, rest = s[:maxRedacted], s[maxRedacted:]
	}
	s = secrets.Redact(s)
	if len(s) <= maxText && rest == "" {
		return s
	}
	n := min(maxText, len(s))
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "… sha256 " + hashText(s+rest)
}

// rotate moves a file that has no room for more bytes to the next number: the
// oldest is .1.
func (a *Log) rotate(more int64) error {
	info, err := os.Stat(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Size() == 0 || info.Size()+more <= maxFile {
		return err
	}
	numbers, err := rotated(a.path)
	if err != nil {
		return err
	}
	next := 1
	if len(numbers) > 0 {
		next = numbers[len(numbers)-1] + 1
	}
	return a.disk.Rename(a.path, a.path+"."+strconv.Itoa(next))
}

func hashText(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
