package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"
)

// maxFile is how large a file of certificates or a key may be, in bytes.
const maxFile = 4 << 20

// Problems is what is wrong with the files of the settings, in words with their paths.
func (w *Way) Problems() []error {
	var all []error
	for _, err := range []error{w.badCA, w.badCert} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// Authorities are those of the settings' file, in its order.
func (w *Way) Authorities() []*x509.Certificate { return w.authorities }

// Certificate is that of this machine; nil where there is none that can be used.
func (w *Way) Certificate() *x509.Certificate {
	if w.own == nil {
		return nil
	}
	return w.own.Leaf
}

// readCA adds the authorities of the file to those of the system.
func (w *Way) readCA() {
	path := w.settings.CAFile
	if path == "" {
		return
	}
	bad := func(why string) { w.badCA = fmt.Errorf("network.caFile %s cannot be used: %s", path, why) }
	text, err := read(path)
	if err != nil {
		bad(err.Error())
		return
	}
	var found []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			bad(fmt.Sprintf("its certificate %d cannot be read", len(found)+1))
			return
		}
		found = append(found, cert)
	}
	if len(found) == 0 {
		bad("it has no certificate in PEM (BEGIN CERTIFICATE)")
		return
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool() // a system without authorities of its own
	}
	for _, cert := range found {
		roots.AddCert(cert)
	}
	w.roots = roots
	w.authorities = found
}

// readCertificate reads the certificate of this machine and its key.
func (w *Way) readCertificate() {
	path := w.settings.CertFile
	if path == "" {
		return
	}
	keyPath := w.settings.KeyFile
	if keyPath == "" {
		keyPath = path
	}
	bad := func(name, path, why string) {
		w.badCert = fmt.Errorf("network.%s %s cannot be used: %s", name, path, why)
	}
	text, err := read(path)
	if err != nil {
		bad("certFile", path, err.Error())
		return
	}
	if !strings.Contains(string(text), "-----BEGIN CERTIFICATE-----") {
		bad("certFile", path, "it has no certificate in PEM (BEGIN CERTIFICATE)")
		return
	}
	key, err := read(keyPath)
	if err != nil {
		bad("keyFile", keyPath, err.Error())
		return
	}
	if strings.Contains(string(key), "ENCRYPTED") {
		bad("keyFile", keyPath, "the key is locked with a passphrase; write it without one, readable only for you")
		return
	}
	pair, err := tls.X509KeyPair(text, key)
	if err != nil {
		bad("certFile", path, "it and the key in "+keyPath+" are no pair: "+strings.TrimPrefix(err.Error(), "tls: "))
		return
	}
	w.own = &pair
}

// read reads a file of the settings. Its errors do not name it.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("it may not be read")
	case err != nil:
		return nil, errors.New("it cannot be read")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, errors.New("it may not be read")
	}
	if err != nil {
		return nil, errors.New("it cannot be read")
	}
	return text, nil
}

// TLS is how other ends are judged: by the authorities of the system and of the settings. It
// shows no certificate.
func (w *Way) TLS() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: w.roots, NextProtos: []string{"h2", "http/1.1"}}
}

// Showing is config for one host, which is shown the certificate of this machine where it asks
// for one and the settings do not keep it from it.
func (w *Way) Showing(config *tls.Config, host string) *tls.Config {
	config = config.Clone()
	config.ServerName = host
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		show := w.settings.CertFile != "" && w.mayBeShown(host)
		w.note(host, func(a *acquaintance) {
			a.asked = true
			a.shown = show
		})
		if !show {
			return &tls.Certificate{}, nil
		}
		if w.badCert != nil {
			return nil, &Failure{words: host + " asks for a client certificate: " + w.badCert.Error(), Lasting: true}
		}
		return w.own, nil
	}
	return config
}

// mayBeShown says whether a host may see the certificate.
func (w *Way) mayBeShown(host string) bool {
	if w.settings.CertHosts == nil {
		return true
	}
	for _, named := range w.settings.CertHosts {
		tail, wild := strings.CutPrefix(named, "*")
		if strings.EqualFold(named, host) || wild && len(host) > len(tail) && strings.EqualFold(host[len(host)-len(tail):], tail) {
			return true
		}
	}
	return false
}

// Secure speaks TLS over a connection, which is closed where that fails. The handshake may take
// wait.
func (w *Way) Secure(ctx context.Context, conn net.Conn, host string, config *tls.Config, wait time.Duration) (net.Conn, error) {
	timed, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	over := tls.Client(conn, config)
	err := over.HandshakeContext(timed)
	if err == nil {
		return over, nil
	}
	conn.Close()
	if timed.Err() != nil && ctx.Err() == nil {
		return nil, &Failure{words: fmt.Sprintf("%s did not finish the handshake of TLS within %v", host, wait)}
	}
	if f := w.untrusted(host, err); f != nil {
		return nil, f
	}
	return nil, err
}
