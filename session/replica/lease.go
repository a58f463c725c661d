package replica

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// LeaseTime is how long a machine has a session of which nothing is heard any more.
const LeaseTime = time.Minute

// Machine is one of the person's.
type Machine struct {
	ID   string `json:"id"`   // of the sidecar's home there; tells machines of one name apart
	Name string `json:"name"` // for people
}

// Lease is a session that this machine has. It keeps nobody from writing who does not ask:
// what two machines write at once is told apart by the place of each line.
type Lease struct {
	space *Space
	name  string
	held  uint64
}

// OwnedError says which machine has a session.
type OwnedError struct{ By Machine }

func (e *OwnedError) Error() string { return "the session is open on " + e.By.Name }

// Claim takes a session for this machine. One that this machine has already, in another
// process that died or is about to ask its lock, is taken over. An OwnedError is another machine.
func (s *Space) Claim(ctx context.Context, token string, self Machine) (*Lease, error) {
	l := &Lease{space: s, name: token}
	said, err := json.Marshal(self)
	if err != nil {
		return nil, err
	}
	sealer := s.Key.seal("lease." + token)
	mine := sealer.closeBlob(token, said)
	for range 3 { // it may end, or be taken, between two questions
		l.held, err = s.Remote.Claim(ctx, token, mine)
		if !errors.Is(err, ErrRefused) {
			break
		}
		theirs, held, ownedErr := s.Remote.Owner(ctx, token)
		if errors.Is(ownedErr, ErrNone) {
			continue
		}
		if ownedErr != nil {
			return nil, ownedErr
		}
		by, openErr := s.owner(token, theirs)
		if openErr == nil && by.ID != self.ID {
			return nil, &OwnedError{by}
		}
		if l.held, err = s.Remote.Keep(ctx, token, mine, held); !errors.Is(err, ErrRefused) { // nobody with the key wrote it, or it is ours
			break
		}
	}
	return l, err
}

// owner is who wrote that it has a session.
func (s *Space) owner(token string, sealed []byte) (by Machine, err error) {
	plain, err := s.Key.seal("lease."+token).openBlob(token, sealed)
	if err == nil {
		err = json.Unmarshal(plain, &by)
	}
	return by, err
}

// Owner is the machine that has a session; ErrNone where none has.
func (s *Space) Owner(ctx context.Context, token string) (Machine, error) {
	sealed, _, err := s.Remote.Owner(ctx, token)
	if err != nil {
		return Machine{}, err
	}
	return s.owner(token, sealed)
}

// Owners are the machines that have sessions open, by the names of those.
func (s *Space) Owners(ctx context.Context) (map[string]Machine, error) {
	all, err := s.Remote.Owners(ctx)
	out := make(map[string]Machine, len(all))
	for token, sealed := range all {
		if by, err := s.owner(token, sealed); err == nil {
			out[token] = by
		}
	}
	return out, err
}

// Keep makes the lease last as long again, or takes it anew where it has ended meanwhile.
func (l *Lease) Keep(ctx context.Context, self Machine) error {
	said, err := json.Marshal(self)
	if err != nil {
		return err
	}
	held, err := l.space.Remote.Keep(ctx, l.name, l.space.Key.seal("lease."+l.name).closeBlob(l.name, said), l.held)
	if errors.Is(err, ErrRefused) {
		var again *Lease
		if again, err = l.space.Claim(ctx, l.name, self); err == nil {
			held = again.held
		}
	}
	if err == nil {
		l.held = held
	}
	return err
}

// Release lets other machines have the session.
func (l *Lease) Release(ctx context.Context) { _ = l.space.Remote.Release(ctx, l.name, l.held) } // else it ends by itself
