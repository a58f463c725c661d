package testclient

import (
	"context"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"
)

// Network is a network inside the process: Listen gives a net.Listener for an
// address, Dial connects to it, and every connection buffers 64 KiB each way.
// Nothing of it is a socket, so it works inside a synctest bubble. The zero
// value has no listener: every dial is refused.
type Network struct {
	mu        sync.Mutex // guards listeners
	listeners map[string]*listener
}

// Listen takes addr ("model.test:80"). A second listener on it is an error.
func (n *Network) Listen(addr string) (net.Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners[addr] != nil {
		return nil, fmt.Errorf("listen %s: %w", addr, syscall.EADDRINUSE)
	}
	l := &listener{net: n, addr: address(addr), incoming: make(chan net.Conn), closed: make(chan struct{})}
	if n.listeners == nil {
		n.listeners = map[string]*listener{}
	}
	n.listeners[addr] = l
	return l, nil
}

// Also lets a listener of this network be dialled at another address as well.
func (n *Network) Also(addr string, l net.Listener) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners[addr] = l.(*listener)
}

// Dial has the shape of net.Dialer.DialContext and http.Transport.DialContext.
// An address without a listener is refused.
func (n *Network) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	n.mu.Lock()
	l := n.listeners[addr]
	n.mu.Unlock()
	if l == nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: address(addr), Err: syscall.ECONNREFUSED}
	}
	there, back := newHalf(pipeSize), newHalf(pipeSize)
	client := &conn{in: back, out: there, local: "client.test:1", remote: address(addr)}
	server := &conn{in: there, out: back, local: address(addr), remote: "client.test:1"}
	select {
	case l.incoming <- server:
		return client, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: network, Addr: address(addr), Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type listener struct {
	net      *Network
	addr     address
	incoming chan net.Conn
	once     sync.Once
	closed   chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.incoming:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.net.mu.Lock()
		defer l.net.mu.Unlock()
		delete(l.net.listeners, string(l.addr))
	})
	return nil
}

func (l *listener) Addr() net.Addr { return l.addr }

type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

// conn is one end of a connection.
type conn struct {
	in, out       *half
	local, remote address
}

func (c *conn) Read(b []byte) (int, error)  { return c.in.read(b) }
func (c *conn) Write(b []byte) (int, error) { return c.out.write(b) }
func (c *conn) LocalAddr() net.Addr         { return c.local }
func (c *conn) RemoteAddr() net.Addr        { return c.remote }

func (c *conn) Close() error {
	c.in.closeRead()
	c.out.closeWrite()
	return nil
}

func (c *conn) SetDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.readBy, t)
	c.out.setDeadline(&c.out.writeBy, t)
	return nil
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.readBy, t)
	return nil
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writeBy, t)
	return nil
}
