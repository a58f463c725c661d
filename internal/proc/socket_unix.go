//go:build unix

package proc

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// The descriptors that go with an order.
const (
	lifeAt   = iota // its end is the end of the command
	statusAt        // for reports
	inAt            // the command's own
	outAt
	errAt
	handed
)

// orderHead is before the text of an order: its length. The descriptors go with it.
const orderHead = 8

// socketPair is a connection between this process and one that it starts.
func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // nobody else's child gets them
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(pair[0])
		unix.CloseOnExec(pair[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, fmt.Errorf("connect with a guard: %w", err)
	}
	return os.NewFile(uintptr(pair[0]), "guard"), os.NewFile(uintptr(pair[1]), "sidecar"), nil
}

// send gives a guard an order and copies of files.
func (g *guard) send(o order, files [handed]*os.File) error {
	text, err := o.text()
	if err != nil {
		return err
	}
	var rights []int
	for _, f := range files {
		rights = append(rights, int(f.Fd()))
	}
	head := binary.BigEndian.AppendUint64(nil, uint64(len(text)))
	if err := unix.Sendmsg(int(g.socket.Fd()), head, unix.UnixRights(rights...), nil, 0); err != nil {
		return fmt.Errorf("send an order: %w", err)
	}
	if _, err := g.socket.WriteString(text); err != nil {
		return fmt.Errorf("send an order: %w", err)
	}
	return nil
}

// receive waits for an order. An error means that there will be none.
func receive(socket *os.File) (o order, files [handed]int, err error) {
	head, oob := make([]byte, orderHead), make([]byte, unix.CmsgSpace(4*handed))
	var n, rights int
	for {
		n, rights, _, _, err = unix.Recvmsg(int(socket.Fd()), head, oob, 0)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return o, files, err
	}
	if n != orderHead {
		return o, files, io.EOF
	}
	messages, err := unix.ParseSocketControlMessage(oob[:rights])
	if err != nil {
		return o, files, err
	}
	if len(messages) != 1 {
		return o, files, errOrder
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return o, files, err
	}
	if copy(files[:], fds) != handed {
		return o, files, errOrder
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd) // nothing is started meanwhile
	}
	text := make([]byte, binary.BigEndian.Uint64(head))
	if _, err := io.ReadFull(socket, text); err != nil {
		return o, files, err
	}
	o, err = orderOf(string(text))
	return o, files, err
}
