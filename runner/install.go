package runner

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/runner/seam"
)

// Copy is how a worker is started where agent-sidecar is not installed, or is another one:
// a shell there checks for a copy of a binary of here, and takes one if there is none.
type Copy struct {
	// At is the place in Connect of the word that starts agent-sidecar there. It and what
	// follows it must be words that no shell takes apart.
	At int
	// Binary is the path of the program here that is sent, whose System (GOOS) and Processor
	// (GOARCH) must be those of there.
	Binary, System, Processor string
	// Version and Schema are those that an installed one must have to be used instead.
	Version, Schema string
}

//go:embed install.sh
var installScript string

// connect are the words that reach a shell there in place of a worker. Its script comes
// through its input, so that no word has to be quoted for whatever is on the way.
func (c *Copy) connect(words []string) []string {
	return append(words[:c.At:c.At], "sh", "-s")
}

// start lets the shell behind a pipe become the worker.
func (c *Copy) start(ctx context.Context, words []string, in, out *os.File) error {
	stop := context.AfterFunc(ctx, func() {
		in.SetReadDeadline(time.Unix(1, 0))
		out.SetWriteDeadline(time.Unix(1, 0))
	})
	defer stop()
	err := c.talk(words[c.At:], in, out)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(err, in.SetReadDeadline(time.Time{}), out.SetWriteDeadline(time.Time{}))
}

func (c *Copy) talk(words []string, in, out *os.File) error {
	binary, err := os.Open(c.Binary)
	if err != nil {
		return fmt.Errorf("read the binary to be copied: %w", err)
	}
	defer binary.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, binary)
	if err != nil {
		return fmt.Errorf("read the binary to be copied: %w", err)
	}
	script := fmt.Sprintf("hash=%s size=%d version='%s' schema=%s\nset -- %s\n%s",
		hex.EncodeToString(hash.Sum(nil)), size, c.Version, c.Schema, strings.Join(words, " "), installScript)
	if _, err := io.WriteString(out, script); err != nil {
		return seam.ErrGone
	}
	said, err := answer(in, seam.Silence)
	if err != nil || said == "ready" {
		return err
	}
	if err := c.fits(said); err != nil {
		return err
	}
	if _, err := binary.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the binary to be copied: %w", err)
	}
	if _, err := io.CopyN(patient{out}, binary, size); err != nil {
		return seam.ErrGone // or what it says about it
	}
	if said, err = answer(in, arriving); err == nil && said != "ready" {
		err = fmt.Errorf("the shell there said %q instead of starting the worker", said)
	}
	return err
}

// arriving is how long the last of a binary may be under way once it is all written here.
const arriving = 2 * time.Minute

// patient writes as long as something is taken at least once in a silence.
type patient struct{ out *os.File }

func (p patient) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var took int
		p.out.SetWriteDeadline(time.Now().Add(seam.Silence))
		took, err = p.out.Write(b[n:min(len(b), n+maxTaken)])
		n += took
	}
	return n, err
}

// maxTaken is how much of a binary is written at once, in bytes.
const maxTaken = 32 << 10

// noise is how many bytes may come before an answer: a shell there may greet everybody.
const noise = 64 << 10

// answer reads the next line that the script has written, and nothing behind it.
func answer(in *os.File, wait time.Duration) (string, error) {
	in.SetReadDeadline(time.Now().Add(wait))
	var line strings.Builder
	b := make([]byte, 1)
	for range noise {
		if _, err := in.Read(b); err != nil {
			return "", seam.ErrGone
		}
		if b[0] != '\n' {
			line.WriteByte(b[0])
			continue
		}
		if said, ours := strings.CutPrefix(line.String(), "agent-sidecar: "); ours {
			return said, nil
		}
		line.Reset()
	}
	return "", errors.New("what the command starts is no shell that reads a script from its input")
}

// machines are the names that uname gives to what Go calls otherwise.
var machines = map[string]string{"x86_64": "amd64", "aarch64": "arm64"}

// fits refuses a machine that the binary is not for. said is what the script asks with.
func (c *Copy) fits(said string) error {
	words := strings.Fields(said)
	if len(words) != 3 || words[0] != "send" {
		return fmt.Errorf("the shell there said %q instead of what system it is on", said)
	}
	system, processor := strings.ToLower(words[1]), words[2]
	if name, other := machines[processor]; other {
		processor = name
	}
	if system != c.System || processor != c.Processor {
		return fmt.Errorf("agent-sidecar must be installed there: that machine is %s/%s, and the program of this one, which would be copied, is for %s/%s", system, processor, c.System, c.Processor)
	}
	return nil
}
