package replica

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Space is the sessions of one workspace on the server.
type Space struct {
	Remote    Remote
	Key       Key
	Workspace string // its name, the same on each machine
	Disk      *durable.Disk
}

// Copy is a session and its copy: the log, those of its sub-agents, and the files that they
// name. One goroutine uses it at a time.
type Copy struct {
	space *Space
	id    string
	dir   string
	token string // of the session, on the server

	root *copied
	subs map[string]*copied // by their folder
	told map[string]bool    // files that the copy has
	kept kept

	remembered time.Time
}

// kept is what is remembered between two processes, in sync.json. Who removes it makes the
// next one look through the whole log.
type kept struct {
	Token string             `json:"token"`
	Root  mark               `json:"root"`
	Subs  map[string]keptSub `json:"subs,omitempty"`
	Told  []string           `json:"told,omitempty"`
	// Seen is how many messages the copy had when both were the same, 0 where that is not known.
	Seen uint64 `json:"seen,omitempty"`
	// Fork is the session that has the lines of here which the copy does not have; Forked is
	// the end of the log that became it.
	Fork   string `json:"fork,omitempty"`
	Forked []byte `json:"forked,omitempty"`
}

type keptSub struct {
	Name string `json:"name"`
	mark
}

const keptFile, mostKept = "sync.json", 16 << 20

// movedFile is there while lines of the log come from another machine, and the log does not
// say so. It is a file of its own: two processes may write what is kept.
const movedFile = "sync.moved"

// The words of subjects behind the name of the workspace.
const wordLog, wordSub, wordGone = "log", "sub", "gone"

func (s *Space) subject(words ...string) string {
	out := s.Key.name("workspace", s.Workspace)
	for _, w := range words {
		out += "." + w
	}
	return out
}

// Copy is that of the session in dir, which has a log. Nothing is sent.
func (s *Space) Copy(id, dir string) (*Copy, error) {
	first, err := firstLine(filepath.Join(dir, history.LogFile))
	if err != nil {
		return nil, err
	}
	c := s.copyNamed(id, dir, s.token(id, first))
	c.recall()
	return c, nil
}

// token is what a session is called on the server. Its first line, with the time to the
// millisecond, tells it from one that another machine has given the same id.
func (s *Space) token(id string, first []byte) string {
	return s.Key.name("session", s.Workspace, id, string(first))
}

func (s *Space) copyNamed(id, dir, token string) *Copy {
	c := &Copy{space: s, id: id, dir: dir, token: token, subs: map[string]*copied{}, told: map[string]bool{}}
	c.root = c.log(s.subject(wordLog, token), filepath.Join(dir, history.LogFile))
	c.root.vacant = c.notGone
	return c
}

func (c *Copy) log(subject, path string) *copied {
	l := &copied{remote: c.space.Remote, seal: c.space.Key.seal(subject), subject: subject, path: path, vacant: func(context.Context) error { return nil }}
	l.acked.place = l.start()
	return l
}

// recall takes in what an earlier process remembered.
func (c *Copy) recall() {
	raw, err := durable.ReadFile(filepath.Join(c.dir, keptFile), mostKept)
	if err != nil {
		return
	}
	var k kept
	if json.Unmarshal(raw, &k) != nil || k.Token != c.token {
		return
	}
	c.kept = k
	if !c.root.fits(k.Root) {
		return
	}
	c.root.acked = k.Root
	for _, name := range k.Told {
		c.told[name] = true
	}
	for folder, sub := range k.Subs {
		if l := c.sub(folder, sub.Name); l != nil && l.fits(sub.mark) {
			l.acked = sub.mark
		}
	}
}

// fits says that a mark can be one of the file.
func (c *copied) fits(m mark) bool {
	info, err := os.Stat(c.path)
	if err != nil || info.Size() < m.At || len(m.Chain) != len(chain{}) {
		return false
	}
	_, err = durable.ReadFrom(c.path, m.At, func([]byte, int64) bool { return false })
	return err == nil
}

// remember writes down what is known.
func (c *Copy) remember() error {
	c.kept.Token, c.kept.Root, c.kept.Subs, c.kept.Told = c.token, c.root.acked, map[string]keptSub{}, slices.Sorted(maps.Keys(c.told))
	for folder, l := range c.subs {
		c.kept.Subs[folder] = keptSub{filepath.Ext(l.subject)[1:], l.acked}
	}
	raw, err := json.Marshal(c.kept)
	if err != nil {
		return err
	}
	return c.space.Disk.WriteCache(filepath.Join(c.dir, keptFile), raw, 0o600)
}

// All is every line that the log has.
const All = math.MaxInt64

// Send brings the copy to the line upTo. Another machine must not have what this one may
// forget, so the lines survive a power cut here first; nobody who writes more waits for that.
func (c *Copy) Send(ctx context.Context, upTo int64) error {
	if err := c.space.Disk.SyncFile(c.root.path); err != nil {
		return err
	}
	if err := c.root.send(ctx, upTo, func() (note, error) { return c.beside(ctx) }); err != nil {
		return err
	}
	for _, folder := range c.folders() {
		l, err := c.localSub(folder)
		if err != nil {
			continue // it has no line yet
		}
		err = l.send(ctx, All, func() (note, error) { return note{}, nil })
		if errors.Is(err, ErrBehind) || errors.As(err, new(*DivergedError)) {
			continue // the session itself has come apart, which is found with its next line
		}
		if err != nil {
			return err
		}
	}
	if upTo != All && time.Since(c.remembered) < rememberEvery {
		return nil
	}
	c.remembered = time.Now()
	return c.remember()
}

// rememberEvery is how often it is written down how far the copy is while a session works.
const rememberEvery = time.Second

// beside stores the files that there are now and were not before, and says which.
func (c *Copy) beside(ctx context.Context) (note, error) {
	if c.root.lost { // what was told with lines that are gone is told again
		c.root.lost = false
		clear(c.told)
		for _, l := range c.subs {
			l.looked = false
		}
	}
	n := note{Subs: map[string]string{}}
	if c.root.acked.Seq == 0 {
		n.ID = c.id
	}
	for _, name := range c.files() {
		if c.told[name] {
			continue
		}
		if err := c.store(ctx, name); err != nil {
			return note{}, err
		}
		n.Files = append(n.Files, name)
		c.told[name] = true
	}
	for _, folder := range c.folders() {
		as := history.ChildFolder + "/" + folder
		if c.told[as] {
			continue
		}
		l, err := c.localSub(folder)
		if err != nil {
			continue
		}
		n.Subs[folder] = filepath.Ext(l.subject)[1:]
		c.told[as] = true
	}
	return n, nil
}

// filed is what a file beside the log may be called.
var filed = []string{history.BlobFolder, history.TranscriptFolder}

func fileName() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + history.BlobFolder + `/[0-9a-f]{64}|` + history.TranscriptFolder + `/[A-Za-z0-9_][A-Za-z0-9._-]{0,127})$`)
}

// files are those beside the log.
func (c *Copy) files() (names []string) {
	form := fileName()
	for _, folder := range filed {
		entries, _ := os.ReadDir(filepath.Join(c.dir, folder))
		for _, e := range entries {
			if name := folder + "/" + e.Name(); e.Type().IsRegular() && form.MatchString(name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// mostFile is how long a file beside a log may be, in bytes. A longer one stays here.
const mostFile = 64 << 20

func (c *Copy) blobName(name string) string {
	return c.token + "." + c.space.Key.name("file", c.token, name)
}

func (c *Copy) store(ctx context.Context, name string) error {
	as := c.blobName(name)
	has, err := c.space.Remote.HasBlob(ctx, as)
	if err != nil || has {
		return err
	}
	data, err := durable.ReadFile(filepath.Join(c.dir, filepath.FromSlash(name)), mostFile)
	if err != nil {
		return nil // it was removed, or is too long
	}
	return c.space.Remote.PutBlob(ctx, as, c.root.seal.closeBlob(as, data))
}

// folders are those of sub-agents.
func (c *Copy) folders() (names []string) {
	entries, _ := os.ReadDir(filepath.Join(c.dir, history.ChildFolder))
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 && strconv.Itoa(n) == e.Name() {
			names = append(names, e.Name())
		}
	}
	return names
}

// localSub is the log of a sub-agent that is here. Its name on the server follows from its
// first line: two machines may send one each under the same number.
func (c *Copy) localSub(folder string) (*copied, error) {
	if l := c.subs[folder]; l != nil {
		return l, nil
	}
	first, err := firstLine(filepath.Join(c.dir, history.ChildFolder, folder, history.LogFile))
	if err != nil {
		return nil, err
	}
	return c.sub(folder, c.space.Key.name("sub", c.token, folder, string(first))), nil
}

func (c *Copy) sub(folder, name string) *copied {
	if n, err := strconv.Atoi(folder); err != nil || n < 1 || strconv.Itoa(n) != folder {
		return nil
	}
	l := c.log(c.space.subject(wordSub, c.token, name), filepath.Join(c.dir, history.ChildFolder, folder, history.LogFile))
	c.subs[folder] = l
	return l
}

// firstLine is that of a log, without its newline.
func firstLine(path string) (first []byte, err error) {
	_, err = durable.ReadFrom(path, 0, func(line []byte, _ int64) bool {
		first = slices.Clone(line)
		return false
	})
	if err == nil && first == nil {
		err = fs.ErrNotExist
	}
	return first, err
}

// file writes what the copy has under the name of a file beside the log.
func (c *Copy) file(ctx context.Context, name string) error {
	if !fileName().MatchString(name) {
		return fmt.Errorf("%w: a file called %q", ErrForged, name)
	}
	path := filepath.Join(c.dir, filepath.FromSlash(name))
	c.told[name] = true
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	as := c.blobName(name)
	sealed, err := c.space.Remote.Blob(ctx, as)
	if errors.Is(err, ErrNone) {
		return nil // it was too long to be stored, or the server has lost it
	}
	if err != nil {
		return err
	}
	data, err := c.root.seal.openBlob(as, sealed)
	if err != nil {
		return err
	}
	if hash, isBlob := strings.CutPrefix(name, history.BlobFolder+"/"); isBlob {
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != hash {
			return fmt.Errorf("%w: a file called %q", ErrForged, name)
		}
	}
	if err := c.space.Disk.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return c.space.Disk.WriteFile(path, data, 0o600)
}
