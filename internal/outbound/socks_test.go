package outbound

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// socksServer is a SOCKS5 proxy: what it was asked for, and a real connection to at. With user
// it wants "user:password".
func socksServer(t *testing.T, user, at string) (addr string, asked func() []string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	var mu sync.Mutex
	var targets []string
	var conns []net.Conn
	serve := func(c net.Conn) {
		target, err := greet(c, user)
		if err != nil {
			c.Close()
			return
		}
		far, err := net.Dial("tcp", at)
		if err != nil {
			c.Close()
			return
		}
		mu.Lock()
		targets = append(targets, target)
		conns = append(conns, far)
		mu.Unlock()
		_, _ = c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		work.Go(func() { _, _ = io.Copy(far, c); far.Close() })
		_, _ = io.Copy(c, far)
		c.Close()
	}
	work.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			work.Go(func() { serve(c) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		work.Wait()
	})
	return listener.Addr().String(), func() []string { mu.Lock(); defer mu.Unlock(); return targets }
}

// greet speaks the beginning of SOCKS5 and reads the target.
func greet(c net.Conn, user string) (target string, err error) {
	read := func(n int) []byte {
		b := make([]byte, n)
		if err == nil {
			_, err = io.ReadFull(c, b)
		}
		return b
	}
	read(int(read(2)[1]))
	if user == "" {
		_, _ = c.Write([]byte{5, 0})
	} else {
		_, _ = c.Write([]byte{5, 2})
		name := read(int(read(2)[1]))
		password := read(int(read(1)[0]))
		if string(name)+":"+string(password) != user {
			_, _ = c.Write([]byte{1, 1})
			return "", fmt.Errorf("who is %s?", name)
		}
		_, _ = c.Write([]byte{1, 0})
	}
	head := read(4)
	var host string
	switch head[3] {
	case 1:
		host = net.IP(read(4)).String()
	case 3:
		host = string(read(int(read(1)[0])))
	case 4:
		host = net.IP(read(16)).String()
	}
	return fmt.Sprintf("%s:%d", host, binary.BigEndian.Uint16(read(2))), err
}

func TestSOCKS(t *testing.T) {
	plain := serve(t, nil)
	open, asked := socksServer(t, "", plain)
	expect(t, "open", get(t, through("socks5://"+open), "http://a.example/"), "200 OK")
	if got := strings.Join(asked(), ", "); got != "a.example:80" {
		t.Error(got)
	}
	closed, _ := socksServer(t, "me:hunter22", plain)
	expect(t, "with a user", get(t, through("socks5://me:hunter22@"+closed), "http://a.example/"), "200 OK")
	expect(t, "with the wrong one", get(t, through("socks5://me:hunter22x@"+closed), "http://a.example/"), "the SOCKS proxy "+closed+" does not connect", "authentication failed")
}
