package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// meterPause is the time between two looks at what a command uses.
const meterPause = 250 * time.Millisecond

// meter looks from the first process of namespaces at what is in them.
type meter struct {
	most  Most
	disks []disk
}

// disk is one file system that the command may write to.
type disk struct {
	path string
	free uint64 // bytes, when the command began
}

// begin takes the measure before the command starts, and bounds its processes by the
// kernel where that can be had: for user 0 the kernel does not count.
func (m Most) begin(writable []string) (*meter, error) {
	if m.Processes > 0 {
		limit := unix.Rlimit{Cur: uint64(m.Processes), Max: uint64(m.Processes)}
		if err := unix.Setrlimit(unix.RLIMIT_NPROC, &limit); err != nil {
			return nil, fmt.Errorf("bound the number of processes: %w", err)
		}
	}
	meter := &meter{most: m}
	if m.Disk == 0 {
		return meter, nil
	}
	seen := map[unix.Fsid]bool{}
	for _, path := range writable {
		var st unix.Statfs_t
		if unix.Statfs(path, &st) != nil || seen[st.Fsid] {
			continue
		}
		seen[st.Fsid] = true
		meter.disks = append(meter.disks, disk{path, free(st)})
	}
	return meter, nil
}

func free(st unix.Statfs_t) uint64 { return st.Bavail * uint64(st.Bsize) }

// watch ends everything in the namespaces when a bound is reached, and says which.
func (m *meter) watch(said *os.File) {
	if m.most == (Most{}) {
		return
	}
	for range time.Tick(meterPause) {
		if limit := m.reached(); limit != "" {
			fmt.Fprintf(said, "%s%s\n", limitWord, limit)
			syscall.Exit(1) // the kernel ends the others
		}
	}
}

// reached names the bound that is reached, "" while none is.
func (m *meter) reached() string {
	processes, memory := inside()
	switch {
	case m.most.Processes > 0 && processes >= m.most.Processes:
		return LimitProcesses
	case m.most.Memory > 0 && memory >= m.most.Memory:
		return LimitMemory
	}
	for _, d := range m.disks {
		var st unix.Statfs_t
		if unix.Statfs(d.path, &st) == nil && free(st) < d.free && d.free-free(st) >= uint64(m.most.Disk) {
			return LimitDisk
		}
	}
	return ""
}

// inside counts the processes of this namespace besides the first, and their resident
// memory in bytes. What several share counts once for each that has it mapped, except for
// files.
func inside() (processes int, memory int64) {
	dir, err := os.Open("/proc")
	if err != nil {
		return 0, 0
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what could be read counts
	page := int64(os.Getpagesize())
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err != nil || pid == 1 {
			continue
		}
		processes++
		text, err := os.ReadFile("/proc/" + name + "/statm")
		fields := strings.Fields(string(text))
		if err != nil || len(fields) < 3 {
			continue // it ended meanwhile
		}
		resident, _ := strconv.ParseInt(fields[1], 10, 64)
		files, _ := strconv.ParseInt(fields[2], 10, 64)
		memory += max(0, resident-files) * page
	}
	return processes, memory
}
