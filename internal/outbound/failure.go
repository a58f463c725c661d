package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Failure is why there is no connection, in words that say what to do. It has no password.
type Failure struct {
	words string
	// Lasting says that the same will happen until a person changes something.
	Lasting bool
	// Status is the HTTP status with which a proxy refused, 0 where none did.
	Status int
}

// Error is those words.
func (f *Failure) Error() string { return f.words }

// And is the failure with more to say of it.
func (f *Failure) And(more string) *Failure {
	longer := *f
	longer.words += more
	return &longer
}

// askedFor is said of a host that was shown no certificate and wants one.
const askedFor = " asks for a client certificate: network.certFile and network.keyFile name one, and agent-sidecar doctor says whether it can be used"

// Explain finds the Failure in an error of a connection, or makes it where only the other end
// has said what is wrong; nil where there is none.
func Explain(err error) *Failure {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	text := err.Error()
	if strings.Contains(text, "tls: certificate required") {
		return &Failure{words: "the server" + askedFor, Lasting: true}
	}
	if at := strings.Index(text, "remote error: tls: "); at >= 0 && strings.Contains(text[at:], "certificate") {
		return &Failure{words: "the server refuses the client certificate of network.certFile (" + text[at+len("remote error: tls: "):] + ")", Lasting: true}
	}
	return nil
}

// Refusal is what a proxy means by a status that is not 200 for a target at addr. Of its own
// words nothing is repeated.
func (w *Way) Refusal(through *url.URL, status int, addr string) *Failure {
	name := hostPort(through)
	f := &Failure{Status: status, Lasting: true}
	switch {
	case status == http.StatusProxyAuthRequired && through.User != nil:
		f.words = fmt.Sprintf("the proxy %s does not accept the user and password in %s (HTTP 407)", name, w.settings.Origin)
	case status == http.StatusProxyAuthRequired:
		f.words = fmt.Sprintf("the proxy %s wants a user and password (HTTP 407); write them into %s as http://user:password@host:port", name, w.settings.Origin)
	case status >= 500:
		f.words = fmt.Sprintf("the proxy %s cannot connect to %s (HTTP %d)", name, addr, status)
		f.Lasting = false
	default:
		f.words = fmt.Sprintf("the proxy %s does not allow a connection to %s (HTTP %d); ask those who run it, or name the host in network.noProxy if it can be reached directly", name, addr, status)
	}
	return f
}

// unreached is why there is no connection to a proxy itself.
func (w *Way) unreached(name string, err error) *Failure {
	why := "it does not answer"
	dns, unknown := errors.AsType[*net.DNSError](err)
	switch {
	case unknown:
		why = "there is no host " + dns.Name
	case errors.Is(err, syscall.ECONNREFUSED):
		why = "connection refused"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		why = "there is no way to it"
	}
	return &Failure{words: fmt.Sprintf("the proxy %s cannot be reached: %s; is %s right?", name, why, w.settings.Origin)}
}

// untrusted is why the certificate of a host is not accepted; nil where it is something else.
func (w *Way) untrusted(host string, err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	if unknown, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		hint := "if your network or company has an authority of its own, name its file in network.caFile"
		if w.badCA != nil {
			hint = w.badCA.Error()
		} else if w.settings.CAFile != "" {
			hint = "network.caFile (" + w.settings.CAFile + ") does not have it either"
		}
		return &Failure{words: fmt.Sprintf("the certificate of %s is from an authority that this machine does not know%s; %s", host, issuer(unknown.Cert), hint), Lasting: true}
	}
	if name, ok := errors.AsType[x509.HostnameError](err); ok {
		names := "no name at all"
		if name.Certificate != nil && len(name.Certificate.DNSNames) > 0 {
			names = strings.Join(name.Certificate.DNSNames[:min(len(name.Certificate.DNSNames), 3)], ", ")
		}
		return &Failure{words: fmt.Sprintf("the certificate that answers for %s is for %s; is the address right?", host, visible(names)), Lasting: true}
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired && invalid.Cert != nil {
		return &Failure{words: fmt.Sprintf("the certificate of %s is valid only from %s to %s; is the clock of this machine right?", host, day(invalid.Cert.NotBefore), day(invalid.Cert.NotAfter)), Lasting: true}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return &Failure{words: fmt.Sprintf("the certificate of %s cannot be trusted: %s", host, visible(err.Error())), Lasting: true}
	}
	return nil
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// issuer names who has signed a certificate.
func issuer(cert *x509.Certificate) string {
	if cert == nil || cert.Issuer.CommonName == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", visible(cert.Issuer.CommonName))
}

// visible is a short text of a stranger's certificate, without what moves a cursor.
func visible(text string) string {
	runes := slices.DeleteFunc([]rune(strings.ToValidUTF8(text, "")), func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 })
	return string(runes[:min(len(runes), 200)])
}
