package replica_test

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
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/agent-sidecar/agent-sidecar/session/replica/stream"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // with its own certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an authority"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	raw, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: key, file: filepath.Join(t.TempDir(), "ca.pem")}
	if a.cert, err = x509.ParseCertificate(raw); err != nil {
		t.Fatal(err)
	}
	wrote(t, a.file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})))
	return a
}

// speaks makes a server speak TLS with a certificate for an address or a name.
func (a *authority) speaks(t *testing.T, ip net.IP, names ...string) func(*server.Options) {
	t.Helper()
	about := &x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour), DNSNames: names, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	if ip != nil {
		about.IPAddresses = []net.IP{ip}
	}
	raw, err := x509.CreateCertificate(rand.Reader, about, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *server.Options) {
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: a.key}}}
		o.TLSTimeout = 30
	}
}

func wrote(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tried is why a server was not reached, "" where it was.
func tried(t *testing.T, o stream.Options) string {
	t.Helper()
	o.Person, o.Leases, o.Again = "p", time.Minute, time.Minute
	s, err := stream.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.Begin()
	<-s.Tried()
	select {
	case <-s.Reconnected():
		return ""
	default:
		return s.Why().Error()
	}
}

// Only a server whose certificate follows from what the person named, and is for its address, is
// talked to; otherwise it is said what does not fit.
func TestTLS(t *testing.T) {
	mine, other := newAuthority(t), newAuthority(t)
	here := net.IPv4(127, 0, 0, 1)
	for name, c := range map[string]struct {
		server  func(*server.Options)
		ca, why string
	}{
		"a private authority":  {mine.speaks(t, here), mine.file, ""},
		"nobody knows it":      {mine.speaks(t, here), "", "unknown authority"},
		"another authority":    {mine.speaks(t, here), other.file, "unknown authority"},
		"for another address":  {mine.speaks(t, net.IPv4(10, 0, 0, 1), "nats.example.org"), mine.file, "valid for 10.0.0.1, not 127.0.0.1"},
		"no TLS there":         {nil, mine.file, "secure connection not available"},
		"no file":              {mine.speaks(t, here), filepath.Join(t.TempDir(), "none.pem"), "none.pem: no such file"},
		"a file without these": {mine.speaks(t, here), os.Args[0], "parse root certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			s := started(t, t.TempDir(), -1, c.server)
			why := tried(t, stream.Options{URL: "tls://" + s.Addr().String(), CA: c.ca})
			if c.why == "" && why != "" || !strings.Contains(why, c.why) {
				t.Errorf("%q, which should say %q", why, c.why)
			}
		})
	}
}

// creds is a file of an account's user, as the server's tools write it.
func creds(t *testing.T, account nkeys.KeyPair) string {
	t.Helper()
	user := pair(t, nkeys.CreateUser)
	text, err := jwt.NewUserClaims(public(t, user)).Encode(account)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	config, err := jwt.FormatUserConfig(text, seed)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "me.creds")
	wrote(t, file, string(config))
	return file
}

func pair(t *testing.T, create func() (nkeys.KeyPair, error)) nkeys.KeyPair {
	t.Helper()
	key, err := create()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func public(t *testing.T, key nkeys.KeyPair) string {
	t.Helper()
	text, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A file of the server's tools says who the person is, and serves for all that copies need.
func TestCredentials(t *testing.T) {
	operator, account := pair(t, nkeys.CreateOperator), pair(t, nkeys.CreateAccount)
	claims := jwt.NewAccountClaims(public(t, account))
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
	text, err := claims.Encode(operator)
	if err != nil {
		t.Fatal(err)
	}
	system := pair(t, nkeys.CreateAccount)
	ofSystem, err := jwt.NewAccountClaims(public(t, system)).Encode(operator)
	if err != nil {
		t.Fatal(err)
	}
	accounts := &server.MemAccResolver{}
	for key, claims := range map[nkeys.KeyPair]string{account: text, system: ofSystem} {
		if err := accounts.Store(public(t, key), claims); err != nil {
			t.Fatal(err)
		}
	}
	s := started(t, t.TempDir(), -1, func(o *server.Options) {
		o.TrustedKeys, o.AccountResolver, o.SystemAccount = []string{public(t, operator)}, accounts, public(t, system)
	})
	mine := creds(t, account)
	if why := tried(t, stream.Options{URL: s.ClientURL(), Credentials: mine}); why != "" {
		t.Fatal(why)
	}
	r, err := stream.New(stream.Options{URL: s.ClientURL(), Credentials: mine, Person: "p", Leases: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	r.Begin()
	<-r.Reconnected()
	if there, err := r.Subjects(t.Context(), ">"); err != nil || len(there) != 0 {
		t.Errorf("%v %v", there, err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.creds")
	wrote(t, damaged, "-----BEGIN NATS USER JWT-----\nx\n------END NATS USER JWT------\n")
	for name, c := range map[string]struct{ file, why string }{
		"of another account": {creds(t, pair(t, nkeys.CreateAccount)), "Authorization Violation"},
		"none":               {"", "Authorization Violation"},
		"no file":            {filepath.Join(t.TempDir(), "gone.creds"), "gone.creds: no such file"},
		"damaged":            {damaged, "seed"},
	} {
		t.Run(name, func(t *testing.T) {
			if why := tried(t, stream.Options{URL: s.ClientURL(), Credentials: c.file}); !strings.Contains(strings.ToLower(why), strings.ToLower(c.why)) {
				t.Errorf("%q, which should say %q", why, c.why)
			}
		})
	}
}
