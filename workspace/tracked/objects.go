package tracked

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Kinds of objects as packs number them.
const (
	kindCommit = 1
	kindTree   = 2
	kindOffset = 6 // says how it differs from one that is so far in front of it
	kindRef    = 7 // the same of one that it names
)

const (
	maxObject = 64 << 20
	maxChain  = 4_096 // of objects that say how they differ from another
	maxStores = 10    // of directories that lend objects to each other
)

// store finds objects, loose or in packs. Its form is described in git's
// gitrepository-layout and gitformat-pack.
type store struct {
	dirs  []string
	packs []*pack
}

// pack is a pair of files: where objects are, and they themselves.
type pack struct {
	index, data *os.File
	count       int
	fanout      [256]uint32
}

func openStore(dir string) (*store, error) {
	s := &store{}
	todo := []string{dir}
	for len(todo) > 0 {
		dir, todo = todo[0], todo[1:]
		if len(s.dirs) >= maxStores {
			break
		}
		s.dirs = append(s.dirs, dir)
		alternates, err := readFile(filepath.Join(dir, "info", "alternates"), maxSmall)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for line := range strings.Lines(string(alternates)) {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			if !filepath.IsAbs(line) {
				line = filepath.Join(dir, line)
			}
			todo = append(todo, line)
		}
		names, _ := filepath.Glob(filepath.Join(strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(dir), "pack", "*.idx"))
		for _, name := range names {
			if p, err := openPack(name); err == nil {
				s.packs = append(s.packs, p)
			}
		}
	}
	return s, nil
}

func (s *store) close() {
	for _, p := range s.packs {
		p.index.Close()
		p.data.Close()
	}
}

func openPack(name string) (*pack, error) {
	data, err := open(strings.TrimSuffix(name, ".idx") + ".pack")
	if err != nil {
		return nil, err
	}
	index, err := open(name)
	if err != nil {
		data.Close()
		return nil, err
	}
	p := &pack{index: index, data: data}
	head := make([]byte, 8+1024)
	if _, err := index.ReadAt(head, 0); err != nil || !bytes.HasPrefix(head, []byte("\xfftOc\x00\x00\x00\x02")) {
		index.Close()
		data.Close()
		return nil, errForm
	}
	for i := range p.fanout {
		p.fanout[i] = binary.BigEndian.Uint32(head[8+4*i:])
	}
	p.count = int(p.fanout[255])
	return p, nil
}

// open opens a regular file: a pipe would wait.
func open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errForm
	}
	return durable.Open(path)
}

// object reads an object by its name in hexadecimal digits.
func (s *store) object(id string) (kind int, data []byte, err error) {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != hashBytes {
		return 0, nil, errForm
	}
	for _, p := range s.packs {
		if at, ok := p.find(raw); ok {
			return s.packed(p, at, maxChain)
		}
	}
	for _, dir := range s.dirs {
		kind, data, err := loose(filepath.Join(dir, id[:2], id[2:]))
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return kind, data, err
		}
	}
	return 0, nil, fmt.Errorf("there is no object %s", id)
}

func loose(path string) (kind int, data []byte, err error) {
	f, err := open(path)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	text, err := inflate(f, maxObject)
	if err != nil {
		return 0, nil, err
	}
	head, body, ok := bytes.Cut(text, []byte{0})
	word, size, _ := strings.Cut(string(head), " ")
	if n, err := strconv.Atoi(size); !ok || err != nil || n != len(body) {
		return 0, nil, errForm
	}
	return map[string]int{"commit": kindCommit, "tree": kindTree}[word], body, nil
}

func inflate(from io.Reader, most int64) ([]byte, error) {
	z, err := zlib.NewReader(bufio.NewReader(from))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	data, err := io.ReadAll(io.LimitReader(z, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, errors.New("an object is too long")
	}
	return data, err
}

// find says where in the pack an object begins.
func (p *pack) find(id []byte) (at int64, ok bool) {
	from, to := 0, int(p.fanout[id[0]])
	if id[0] > 0 {
		from = int(p.fanout[id[0]-1])
	}
	if from > to || to > p.count {
		return 0, false
	}
	const names = 8 + 1024
	var here [hashBytes]byte
	i := from + sort.Search(to-from, func(i int) bool {
		_, err := p.index.ReadAt(here[:], names+int64(from+i)*hashBytes)
		return err != nil || bytes.Compare(here[:], id) >= 0
	})
	if _, err := p.index.ReadAt(here[:], names+int64(i)*hashBytes); i >= to || err != nil || !bytes.Equal(here[:], id) {
		return 0, false
	}
	n := int64(p.count)
	var word [8]byte
	if _, err := p.index.ReadAt(word[:4], names+n*(hashBytes+4)+int64(i)*4); err != nil {
		return 0, false
	}
	short := binary.BigEndian.Uint32(word[:4])
	if short&0x80000000 == 0 {
		return int64(short), true
	}
	if _, err := p.index.ReadAt(word[:], names+n*(hashBytes+8)+int64(short&0x7fffffff)*8); err != nil {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(word[:]) &^ (1 << 63)), true
}

// packed reads the object that begins at a place of a pack.
func (s *store) packed(p *pack, at int64, chain int) (kind int, data []byte, err error) {
	if chain == 0 {
		return 0, nil, errForm
	}
	head := make([]byte, 64)
	n, err := p.data.ReadAt(head, at)
	if err != nil && !errors.Is(err, io.EOF) || n == 0 {
		return 0, nil, errForm
	}
	head = head[:n]
	kind = int(head[0]>>4) & 7
	i := 1
	for more := head[0]&0x80 != 0; more; i++ { // the size, which the data says as well
		if i >= len(head) {
			return 0, nil, errForm
		}
		more = head[i]&0x80 != 0
	}
	base := func() (int, []byte, error) { return 0, nil, errForm }
	switch kind {
	case kindOffset:
		back, n := offset(head[i:])
		if n == 0 || back <= 0 || int64(back) > at {
			return 0, nil, errForm
		}
		i += n
		base = func() (int, []byte, error) { return s.packed(p, at-int64(back), chain-1) }
	case kindRef:
		if len(head) < i+hashBytes {
			return 0, nil, errForm
		}
		from, ok := p.find(head[i : i+hashBytes])
		i += hashBytes
		if ok {
			base = func() (int, []byte, error) { return s.packed(p, from, chain-1) }
		}
	}
	data, err = inflate(io.NewSectionReader(p.data, at+int64(i), 1<<62-at), maxObject)
	if err != nil || kind != kindOffset && kind != kindRef {
		return kind, data, err
	}
	kind, from, err := base()
	if err != nil {
		return 0, nil, err
	}
	data, ok := applied(from, data)
	if !ok {
		return 0, nil, errForm
	}
	return kind, data, nil
}

// applied is an object that is written as copies of another and what is new.
func applied(from, delta []byte) (out []byte, ok bool) {
	for range 2 { // the sizes before and after
		_, n := binary.Uvarint(delta)
		if n <= 0 {
			return nil, false
		}
		delta = delta[n:]
	}
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 {
			if op == 0 || int(op) > len(delta) {
				return nil, false
			}
			out, delta = append(out, delta[:op]...), delta[op:]
			continue
		}
		var at, size int
		for bit := range 7 {
			if op&(1<<bit) == 0 {
				continue
			}
			if len(delta) == 0 {
				return nil, false
			}
			if bit < 4 {
				at |= int(delta[0]) << (8 * bit)
			} else {
				size |= int(delta[0]) << (8 * (bit - 4))
			}
			delta = delta[1:]
		}
		if size == 0 {
			size = 0x10000
		}
		if at+size > len(from) || len(out)+size > maxObject {
			return nil, false
		}
		out = append(out, from[at:at+size]...)
	}
	return out, true
}
