package outbound

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"golang.org/x/net/proxy"
)

// maxAnswer is how long the head of a proxy's answer may be, in bytes.
const maxAnswer = 64 << 10

// errSilent is the cause of a way through a proxy that took too long.
var errSilent = errors.New("the proxy did not answer in time")

// Tunnel opens a connection to addr, "host:port", through a proxy, in wait at most. What is
// wrong is a Failure in words for people.
func (w *Way) Tunnel(ctx context.Context, through *url.URL, addr string, wait time.Duration) (net.Conn, error) {
	timed, cancel := context.WithTimeoutCause(ctx, wait, errSilent)
	defer cancel()
	conn, err := w.knock(timed, through, wait)
	if err != nil {
		return nil, w.inWords(timed, through, wait, err)
	}
	letGo := context.AfterFunc(timed, func() { conn.Close() })
	if through.Scheme == "http" || through.Scheme == "https" {
		err = w.connect(conn, through, addr)
	} else {
		err = socks(timed, conn, through, addr)
	}
	if !letGo() && err == nil { // it is closed already
		err = context.Cause(timed)
	}
	if err != nil {
		conn.Close()
		return nil, w.inWords(timed, through, wait, err)
	}
	return conn, nil
}

// knock connects to the proxy itself.
func (w *Way) knock(ctx context.Context, through *url.URL, wait time.Duration) (net.Conn, error) {
	conn, err := w.dial(ctx, "tcp", hostPort(through))
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, w.unreached(hostPort(through), err)
	}
	if through.Scheme != "https" {
		return conn, nil
	}
	config := w.TLS()
	config.NextProtos = []string{"http/1.1"}
	config.ServerName = through.Hostname()
	return w.Secure(ctx, conn, through.Hostname(), config, 2*wait) // ctx ends before
}

// connect asks an HTTP proxy for a tunnel.
func (w *Way) connect(conn net.Conn, through *url.URL, addr string) error {
	head := "CONNECT " + addr + " HTTP/1.1\r\nHost: " + addr + "\r\nUser-Agent: agent-sidecar\r\n"
	if user := through.User; user != nil {
		password, _ := user.Password()
		head += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)) + "\r\n"
	}
	if _, err := io.WriteString(conn, head+"\r\n"); err != nil {
		return err
	}
	answer := bufio.NewReader(io.LimitReader(conn, maxAnswer))
	resp, err := http.ReadResponse(answer, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return errRubbish
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return w.Refusal(through, resp.StatusCode, addr)
	}
	if answer.Buffered() > 0 { // nobody speaks there before we do
		return errRubbish
	}
	return nil
}

var errRubbish = errors.New("it does not answer like a proxy")

// socks asks a SOCKS proxy for a tunnel.
func socks(ctx context.Context, conn net.Conn, through *url.URL, addr string) error {
	var auth *proxy.Auth
	if user := through.User; user != nil {
		password, _ := user.Password()
		auth = &proxy.Auth{User: user.Username(), Password: password}
	}
	dialer, err := proxy.SOCKS5("tcp", hostPort(through), auth, proxy.Direct)
	if err != nil {
		return err
	}
	over, ok := dialer.(interface {
		DialWithConn(ctx context.Context, c net.Conn, network, address string) (net.Addr, error)
	})
	if !ok {
		return errors.New("SOCKS is not there")
	}
	_, err = over.DialWithConn(ctx, conn, "tcp", addr)
	return err
}

// inWords says why a proxy is no way to where it should lead.
func (w *Way) inWords(ctx context.Context, through *url.URL, wait time.Duration, err error) error {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	name := hostPort(through)
	switch {
	case errors.Is(context.Cause(ctx), errSilent), errors.Is(err, os.ErrDeadlineExceeded):
		return &Failure{words: fmt.Sprintf("the proxy %s did not answer within %v; is %s right?", name, wait, w.settings.Origin), Lasting: true}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case through.Scheme == "http" || through.Scheme == "https":
		return &Failure{words: fmt.Sprintf("what answers at %s is no proxy that takes CONNECT; is %s right?", name, w.settings.Origin), Lasting: true}
	}
	why := err
	if op, ok := errors.AsType[*net.OpError](err); ok {
		why = op.Err
	}
	return &Failure{words: fmt.Sprintf("the SOCKS proxy %s does not connect: %v; is %s right?", name, why, w.settings.Origin), Lasting: true}
}
