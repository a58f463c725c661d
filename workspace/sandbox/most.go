package sandbox

import "github.com/agent-sidecar/agent-sidecar/internal/proc"

// What a command may use where the person says nothing.
const (
	mostProcesses = 4096
	mostDisk      = 20 << 30 // bytes, and half of what is free
	// mostMemory is the share of the machine's memory, in percent.
	mostMemory = 80
)

// most are the bounds of a command that writes to these folders.
func (s Settings) most(roots []string) proc.Most {
	m := proc.Most{Processes: s.MaxProcesses, Memory: s.MaxMemory, Disk: s.MaxDisk}
	if m.Processes == 0 {
		m.Processes = mostProcesses
	}
	if m.Memory == 0 {
		m.Memory = memoryHere() / 100 * mostMemory
	}
	if m.Disk == 0 {
		m.Disk = mostDisk
		for _, root := range roots {
			if free := freeAt(root); free > 0 {
				m.Disk = min(m.Disk, free/2)
			}
		}
	}
	return m
}
