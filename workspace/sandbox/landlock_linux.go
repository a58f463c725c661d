package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

// deviceFiles may be written at level landlock.
var deviceFiles = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// LandlockABI is what this kernel's Landlock can do, 0 without one.
func LandlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// Landlock restricts this process for good: reads are granted entry by entry, so
// that what is hidden is simply not granted; writes are the places that c names;
// no connection by TCP unless it was granted; no signal and no abstract socket
// to anybody outside. The filter of system calls does the rest (package proc).
// At level namespaces it only keeps a command with a network, which shares that
// namespace, from the abstract sockets in it.
func Landlock(c proc.Confinement) error {
	abi := LandlockABI()
	if c.Level == proc.Namespaces {
		if abi < 6 {
			return nil // described as missing
		}
		return landlock.V6.RestrictScoped()
	}
	if abi < 1 {
		return errors.New("this kernel has none")
	}
	hidden := c.Hidden
	var rules []landlock.Rule
	var readDirs, readFiles []string
	for _, place := range append([]string{"/proc", "/dev"}, c.Read...) {
		dirs, files := grants(place, hidden)
		readDirs, readFiles = append(readDirs, dirs...), append(readFiles, files...)
	}
	shownDirs, shownFiles := split(c.Shown)
	rules = append(rules,
		landlock.RODirs(append(readDirs, shownDirs...)...).IgnoreIfMissing(),
		landlock.ROFiles(append(readFiles, shownFiles...)...).IgnoreIfMissing(),
		landlock.RWFiles(deviceFiles...).IgnoreIfMissing(),
	)
	write := c.Write
	if c.Temp != "" {
		write = append(slices.Clone(write), c.Temp)
	}
	kept := hidden
	for _, p := range c.ReadOnly { // beside what is hidden the writes are granted entry by entry, too
		if slices.ContainsFunc(hidden, func(h string) bool { return filepath.Dir(h) == filepath.Dir(p) }) {
			kept = append(slices.Clip(kept), p)
		}
	}
	for _, w := range write {
		dirs, files := grants(w, kept)
		all := landlock.RWDirs(dirs...)
		if abi >= 2 { // asked for on an older kernel, the library would restrict nothing
			all = all.WithRefer()
		}
		rules = append(rules, all.IgnoreIfMissing(), landlock.RWFiles(files...).IgnoreIfMissing())
	}
	// One layer for all: a second one would refuse links between directories,
	// which only the layer with the rules can grant.
	config := landlock.V7
	if c.Network {
		config.HandledAccessNet = 0
	}
	return config.BestEffort().Restrict(rules...)
}

// grants are the directories and files that together are root without what is
// hidden. What appears later beside a hidden entry is not granted.
func grants(root string, hidden []string) (dirs, files []string) {
	if slices.Contains(hidden, root) {
		return nil, nil
	}
	info, err := os.Stat(root)
	switch {
	case err != nil:
		return nil, nil // it cannot be read anyway
	case !info.IsDir():
		return nil, []string{root}
	case !slices.ContainsFunc(hidden, func(h string) bool { return root == "/" || strings.HasPrefix(h, root+"/") }):
		return []string{root}, nil
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, nil
	}
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		if e.Type()&os.ModeSymlink != 0 {
			continue // granted where it leads to, if that is granted
		}
		d, f := grants(path, hidden)
		dirs, files = append(dirs, d...), append(files, f...)
	}
	return dirs, files
}

func split(paths []string) (dirs, files []string) {
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			dirs = append(dirs, p)
		} else if err == nil {
			files = append(files, p)
		}
	}
	return dirs, files
}
