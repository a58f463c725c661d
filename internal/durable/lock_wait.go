package durable

import "fmt"

// Lock takes the lock at path as TryLock does, but waits until anyone who holds it
// lets it go, and writes no owner: it is for steps of a few milliseconds that
// processes do one after the other.
func (d *Disk) Lock(path string) (*Lock, error) {
	l := &Lock{disk: d}
	if err := d.ask(OpLock, path); err != nil {
		return nil, err
	}
	if d.Frozen() {
		return l, nil
	}
	fl, err := newLock(path)
	if err == nil {
		err = fl.Lock() // outside of step: anyone who waits here must not hold up Freeze
	}
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	l.fl = fl
	d.hold(l)
	return l, nil
}
