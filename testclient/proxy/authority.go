package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority is one that signs certificates and that no system knows.
type Authority struct {
	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority makes one.
func NewAuthority(t testing.TB, name string) *Authority {
	t.Helper()
	a := &Authority{t: t, key: newKey(t)}
	plan := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(100 * 24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.cert = a.sign(plan, plan, a.key)
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign makes a certificate of a plan for a key.
func (a *Authority) sign(plan, by *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	raw, err := x509.CreateCertificate(rand.Reader, plan, by, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert
}

func (a *Authority) signed(name string, until time.Time, use x509.ExtKeyUsage, names ...string) tls.Certificate {
	key := newKey(a.t)
	plan := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{use},
	}
	for _, n := range names {
		if ip := net.ParseIP(n); ip != nil {
			plan.IPAddresses = append(plan.IPAddresses, ip)
		} else {
			plan.DNSNames = append(plan.DNSNames, n)
		}
	}
	cert := a.sign(plan, a.cert, key)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key, Leaf: cert}
}

// Server is the configuration of a server that answers for names and addresses.
func (a *Authority) Server(names ...string) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{a.signed("server", time.Now().Add(24*time.Hour), x509.ExtKeyUsageServerAuth, names...)}}
}

// Expired is a server whose certificate was valid until yesterday.
func (a *Authority) Expired(names ...string) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{a.signed("server", time.Now().Add(-24*time.Hour), x509.ExtKeyUsageServerAuth, names...)}}
}

// Asking is a server that lets in only those with a certificate of the authority.
func (a *Authority) Asking(names ...string) *tls.Config {
	config := a.Server(names...)
	config.ClientCAs = x509.NewCertPool()
	config.ClientCAs.AddCert(a.cert)
	config.ClientAuth = tls.RequireAndVerifyClientCert
	return config
}

// Client writes a certificate for a client, and its key, into files of their own.
func (a *Authority) Client(dir, name string, until time.Time) (certFile, keyFile string) {
	a.t.Helper()
	pair := a.signed(name, until, x509.ExtKeyUsageClientAuth)
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.write(dir, name+".pem", "CERTIFICATE", pair.Certificate[0]), a.write(dir, name+".key", "PRIVATE KEY", key)
}

// File writes the authority's own certificate.
func (a *Authority) File(dir string) string {
	a.t.Helper()
	return a.write(dir, "authority.pem", "CERTIFICATE", a.cert.Raw)
}

func (a *Authority) write(dir, name, kind string, raw []byte) string {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}
