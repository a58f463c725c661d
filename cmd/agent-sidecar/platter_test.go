//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// platter is what of a folder a power cut would leave: of each file what it held
// when it was last synced, of each directory the names it had when it was. It
// hears of every step of a disk, and knows nothing of what went past that disk.
type platter struct {
	root string

	mu    sync.Mutex // guards everything below
	files map[uint64]content
	names map[uint64]map[string]uint64 // of directories
	held  []*os.File                   // so that no number is given to another file
	fault error
}

type content struct {
	data []byte
	mode fs.FileMode
}

// newPlatter takes everything that is there now as lasting.
func newPlatter(root string) (*platter, error) {
	p := &platter{root: root, files: map[uint64]content{}, names: map[uint64]map[string]uint64{}}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return p.syncDir(path)
		}
		return p.syncFile(path)
	})
	return p, err
}

// witness is called behind every step of the disk.
func (p *platter) witness(op durable.Op, path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	switch op {
	case durable.OpSync, durable.OpSyncTemp, durable.OpCutTorn:
		err = p.syncFile(path)
	case durable.OpKeepTorn:
		if err = p.syncFile(path); err == nil {
			err = p.syncDir(filepath.Dir(path))
		}
	case durable.OpSyncDir:
		err = p.syncDir(path)
	}
	if err != nil && p.fault == nil {
		p.fault = fmt.Errorf("%s %s: %w", op, path, err)
	}
}

func (p *platter) syncFile(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	node, mode, err := p.hold(path)
	p.files[node] = content{data, mode}
	return err
}

func (p *platter) syncDir(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	names := map[string]uint64{}
	for _, e := range entries {
		node, _, err := p.hold(filepath.Join(path, e.Name()))
		if err != nil {
			return err
		}
		names[e.Name()] = node
	}
	node, _, err := p.hold(path)
	p.names[node] = names
	return err
}

// hold gives a file's number, and keeps the file open so that the number is its
// own.
func (p *platter) hold(path string) (node uint64, mode fs.FileMode, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	node = uint64(info.Sys().(*syscall.Stat_t).Ino)
	_, dir := p.names[node]
	_, file := p.files[node]
	if dir || file {
		return node, info.Mode(), f.Close()
	}
	p.held = append(p.held, f)
	if info.IsDir() {
		p.names[node] = map[string]uint64{} // a directory nobody has synced is empty
	} else {
		p.files[node] = content{mode: info.Mode()}
	}
	return node, info.Mode(), nil
}

// cut makes the folder what the power cut left of it.
func (p *platter) cut() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault != nil {
		return p.fault
	}
	root, _, err := p.hold(p.root)
	if err != nil {
		return err
	}
	if err := os.Rename(p.root, p.root+".before"); err != nil {
		return err
	}
	if err := p.lay(p.root, root); err != nil {
		return err
	}
	for _, f := range p.held {
		f.Close()
	}
	return os.RemoveAll(p.root + ".before")
}

func (p *platter) lay(path string, node uint64) error {
	names, dir := p.names[node]
	if !dir {
		c := p.files[node]
		return os.WriteFile(path, c.data, c.mode.Perm())
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	for name, node := range names {
		if err := p.lay(filepath.Join(path, name), node); err != nil {
			return err
		}
	}
	return nil
}
