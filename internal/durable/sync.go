package durable

import "os"

var leftOut = func() bool { return false }

// LeaveOutSyncs makes syncs do nothing where when says so. Only the package unsynced calls it.
func LeaveOutSyncs(when func() bool) { leftOut = when }

// syncedFile makes what was written to f survive a power cut, as far as syncFile does.
func syncedFile(f *os.File) error { return Synced(func() error { return syncFile(f) }) }

// Synced does sync, unless syncs are left out.
func Synced(sync func() error) error {
	if leftOut() {
		return nil
	}
	return sync()
}

// SyncFile makes what was written to a file so far survive a power cut, whoever has it open.
func (d *Disk) SyncFile(path string) error {
	return d.step(OpSync, path, func() error { return syncPath(path) })
}
