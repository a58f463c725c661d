package replica

import (
	"context"
	"errors"
)

// Remote is the server, reached. Subjects and names of blobs are words of a-z, 0-9, joined by
// dots. All of it is safe for concurrent use and ends with its context.
type Remote interface {
	// Begin starts to reach the server, once. Until then, and while it is not reached, nothing
	// works.
	Begin()
	// Append adds a message to a subject whose last one is at the place after, 0 for none.
	// Anything else is ErrRefused, and so is an id that was given lately. It returns when
	// the message is stored.
	Append(ctx context.Context, subject string, after uint64, id string, data []byte) (at uint64, err error)
	// Last is the last message of a subject; ErrNone where it has none.
	Last(ctx context.Context, subject string) (Message, error)
	// First is the first message of a subject; ErrNone where it has none.
	First(ctx context.Context, subject string) (Message, error)
	// Each gives the messages of a subject from a place on, in order, until each returns an
	// error, or there are no more now.
	Each(ctx context.Context, subject string, from uint64, each func(Message) error) error
	// Subjects are those that have messages, of a pattern in which * is one word and > all
	// that follow, and how many they have.
	Subjects(ctx context.Context, pattern string) (map[string]uint64, error)
	// Clear removes the messages of all subjects of a pattern.
	Clear(ctx context.Context, pattern string) error
	// Most is how long a message may be, in bytes.
	Most(ctx context.Context) (int, error)

	PutBlob(ctx context.Context, name string, data []byte) error
	// Blob is ErrNone where there is none.
	Blob(ctx context.Context, name string) ([]byte, error)
	HasBlob(ctx context.Context, name string) (bool, error)
	// RemoveBlobs removes those whose name begins so.
	RemoveBlobs(ctx context.Context, prefix string) error

	// Claim takes a name for a while; ErrRefused where somebody has it. Keep makes it last
	// as long again, for the one who knows what Claim, Keep or Owner gave last; Release lets go.
	Claim(ctx context.Context, name string, owner []byte) (held uint64, err error)
	Keep(ctx context.Context, name string, owner []byte, held uint64) (uint64, error)
	Release(ctx context.Context, name string, held uint64) error
	// Owner is what the one who has the name wrote; ErrNone where nobody has.
	Owner(ctx context.Context, name string) (owner []byte, held uint64, err error)
	// Owners are those of all names.
	Owners(ctx context.Context) (map[string][]byte, error)

	// Reconnected is closed when the server is reached again after it was not; it is closed
	// already where it is reached.
	Reconnected() <-chan struct{}
	// Lost is closed when the server is not reached any more; it is closed already where it
	// is not.
	Lost() <-chan struct{}
}

// Message is one message of a subject.
type Message struct {
	At   uint64 // its place
	Data []byte
}

var (
	// ErrRefused says that the server did not take something because somebody else was first.
	ErrRefused = errors.New("refused by the server")
	// ErrNone says that there is nothing of that name.
	ErrNone = errors.New("the server has nothing there")
)
