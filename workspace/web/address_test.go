package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Every spelling of an address comes to one of three ends: it is no address, it is
// refused, or a connection is made, to exactly what was judged. The server behind
// it is real and would answer to every address, so a spelling that the checks read
// in another way than the dialer connects and is seen here.
func TestAddressSpellings(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) { rw.Write([]byte("reached")) })
	for name, to := range map[string]string{
		"example.com": "93.184.216.34", "xn--bcher-kva.example": "93.184.216.34", "xn--pple-43d.com": "93.184.216.34", "six.example": "2606:2800:220:1::1",
		"loop.example": "127.0.0.1", "loop6.example": "::1", "ten.example": "10.1.2.3", "meta.example": "169.254.169.254", "ula.example": "fd12::1", "zero.example": "0.0.0.0",
		"v4mapped.example": "::ffff:127.0.0.1", "sixtofour.example": "2002:7f00:1::1", "nat64.example": "64:ff9b::7f00:1", "teredo.example": "2001:0:4136:e378::1", "compatible.example": "::7f00:1",
		"cgnat.example": "100.64.1.1", "alibaba.example": "100.100.100.200", "my_host.example": "93.184.216.34", "r3---sn.example": "93.184.216.34", "0x7f.example": "93.184.216.34",
	} {
		w.leads(name, []string{to})
	}
	const no, bad = "refused", "no address"
	for _, row := range []struct{ spelling, want string }{
		// The public internet, in whatever way it is written.
		{"http://example.com/", "http://example.com/"},
		{"  https://example.com  ", ""}, // TLS: judged like the next, but nothing here speaks it
		{"HTTP://EXAMPLE.COM", "http://example.com/"},
		{"http://example.com:80/a", "http://example.com/a"},
		{"http://example.com:0080/a", "http://example.com/a"},
		{"http://example.com:/a", "http://example.com/a"},
		{"http://example.com:8080/a", "http://example.com:8080/a"},
		{"http://example.com./a", "http://example.com/a"},
		{"http://example.com?q=1", "http://example.com/?q=1"},
		{"http://example.com/a/../b", "http://example.com/b"},
		{"http://example.com/a/%2e%2E/b", "http://example.com/b"},
		{"http://example.com/../../b/.", "http://example.com/b/"},
		{"http://example.com/%61%2Fb%7e?x=%41%26", "http://example.com/a%2Fb~?x=A%26"},
		{"http://example.com/a b?c d", "http://example.com/a%20b?c%20d"},
		{"http://example.com/ü?ü", "http://example.com/%C3%BC?%C3%BC"},
		{"http://example.com/100%", "http://example.com/100%25"},
		{"http://example.com/a#fragment?x@evil", "http://example.com/a"},
		{"http://example.com/@evil.example/", "http://example.com/@evil.example/"},
		{"http://example.com/?u=http://127.0.0.1/", "http://example.com/?u=http://127.0.0.1/"},
		{"http://ｅｘａｍｐｌｅ．com/", "http://example.com/"},
		{"http://example。com/", "http://example.com/"},
		{"http://bücher.example/", "http://xn--bcher-kva.example/"},
		{"http://BÜCHER.example/", "http://xn--bcher-kva.example/"},
		{"http://аpple.com/", "http://xn--pple-43d.com/"}, // Cyrillic: a person sees that it is another host
		{"http://my_host.example/", "http://my_host.example/"},
		{"http://r3---sn.example/", "http://r3---sn.example/"},
		{"http://0x7f.example/", "http://0x7f.example/"},
		{"http://93.184.216.34/", "http://93.184.216.34/"},
		{"http://six.example/", "http://six.example/"},
		{"http://[2606:2800:220:1::1]/", "http://[2606:2800:220:1::1]/"},
		{"http://[2606:2800:220:1:0:0:0:1]:8080/", "http://[2606:2800:220:1::1]:8080/"},

		// This machine.
		{"http://127.0.0.1/", no},
		{"http://127.0.0.1./", no}, {"http://127.127.127.127/", no},
		{"http://１２７.0.0.1/", no}, {"http://127。0。0。1/", no}, {"http://①②⑦.0.0.1/", no}, {"http://localhost/", no}, {"http://LOCALHOST/", no}, {"http://ⓛocalhost/", no},
		{"http://localhost./", no}, {"http://evil.localhost/", no}, {"http://[::1]/", no}, {"http://[0:0:0:0:0:0:0:1]/", no}, {"http://[::ffff:127.0.0.1]/", no}, {"http://[::ffff:7f00:1]/", no},
		{"http://[::127.0.0.1]/", no}, {"http://[::]/", no}, {"http://0.0.0.0/", no},
		{"http://loop.example/", no}, {"http://loop6.example/", no}, {"http://zero.example/", no}, {"http://LOOP.example./", no}, {"http://localhost:8080/", no}, {"http://v4mapped.example/", no},

		// Networks that are not the internet.
		{"http://10.0.0.1/", no}, {"http://172.16.0.1/", no}, {"http://172.31.255.255/", no}, {"http://192.168.1.1/", no},
		{"http://100.64.0.1/", no}, {"http://169.254.169.254/latest/meta-data/", no}, {"http://[fe80::1]/", no}, {"http://[fd12::1]/", no}, {"http://[fd00:ec2::254]/", no},
		{"http://100.100.100.200/", no}, {"http://192.0.0.192/", no}, {"http://192.0.2.1/", no}, {"http://198.51.100.1/", no}, {"http://203.0.113.1/", no}, {"http://198.18.0.1/", no},
		{"http://224.0.0.1/", no}, {"http://255.255.255.255/", no}, {"http://240.0.0.1/", no}, {"http://192.88.99.1/", no}, {"http://[ff02::1]/", no}, {"http://[2001:db8::1]/", no},
		{"http://[2002:7f00:1::]/", no}, {"http://[2002:a00:1::]/", no}, {"http://[64:ff9b::7f00:1]/", no}, {"http://[64:ff9b:1::a00:1]/", no}, {"http://[2001:0:4136:e378::1]/", no}, {"http://[100::1]/", no},
		{"http://[3fff::1]/", no}, {"http://[::ffff:10.0.0.1]/", no}, {"http://[::ffff:0:127.0.0.1]/", no}, {"http://[fec0::1]/", no},
		{"http://ten.example/", no}, {"http://meta.example/", no}, {"http://ula.example/", no}, {"http://sixtofour.example/", no}, {"http://nat64.example/", no}, {"http://teredo.example/", no},
		{"http://compatible.example/", no}, {"http://cgnat.example/", no}, {"http://alibaba.example/", no},

		// Ports of other services.
		{"http://example.com:22/", no}, {"http://example.com:25/", no}, {"http://example.com:6379/", no}, {"http://example.com:81/", no}, {"https://example.com:3000/", no}, {"http://93.184.216.34:5432/", no},

		// What a browser and the C library would make another address of.
		{"http://127.1/", bad}, {"http://127.0.1/", bad}, {"http://0x7f.1/", bad}, {"http://0x7f.0x0.0x0.0x1/", bad}, {"http://0177.0.0.1/", bad}, {"http://017700000001/", bad}, {"http://2130706433/", bad}, {"http://0x7f000001/", bad},
		{"http://127.0.0.01/", bad}, {"http://0/", bad}, {"http://0x/", bad}, {"http://0x.0/", bad}, {"http://012.0.0.1/", bad}, {"http://3232235777/", bad}, {"http://0xa9fea9fe/", bad}, {"http://0x5db8d822/", bad},

		// No address at all.
		{"", bad}, {"example.com", bad}, {"//example.com/", bad}, {"http:example.com", bad}, {"http:/example.com", bad}, {"http:///example.com", bad},
		{"http://", bad}, {"https://?x", bad}, {"http://#x", bad}, {"ftp://example.com/", bad}, {"file:///etc/passwd", bad}, {"gopher://example.com/", bad},
		{"javascript:alert(1)//http://example.com", bad}, {"data:text/html,x", bad}, {"http://user@example.com/", bad}, {"http://user:pw@example.com/", bad}, {"http://example.com@127.0.0.1/", bad},
		{"http://127.0.0.1@example.com/", bad}, {"http://@example.com/", bad}, {`http://example.com\@127.0.0.1/`, bad}, {`http://example.com\.evil.example/`, bad}, {`http:\\example.com\`, bad}, {`http://example.com/a\..\b`, bad},
		{"http://exa\tmple.com/", bad}, {"http://example.com/a\nb", bad}, {"http://example.com/\x00", bad}, {"http://example.com/\r\nX: y", bad}, {"http://exam ple.com/", bad}, {"http://exam%70le.com/", bad},
		{"http://%31%32%37.0.0.1/", bad}, {"http://example.com%00.evil.example/", bad}, {"http://127.0.0.1%2f@example.com/", bad}, {"http://exa\u200Bmple.com/", bad}, {"http://exa\u00ADmple.com/", bad}, {"http://example\u202E.com/", bad},
		{"http://.example.com/", bad}, {"http://example..com/", bad}, {"http://example.com../", bad}, {"http://./", bad}, {"http://1.2.3.4.5/", bad}, {"http://256.0.0.1/", bad},
		{"http://1.2.3.256/", bad}, {"http://4294967296/", bad}, {"http://08.0.0.1/", bad}, {"http://127.0.0.1.0x/a.1.2", bad}, {"http://0x7g.1/", bad}, {"http://127.0.0.09/", bad},
		{"http://[::1/", bad}, {"http://[]/", bad}, {"http://[127.0.0.1]/", bad}, {"http://[fe80::1%25eth0]/", bad}, {"http://[fe80::1%eth0]/", bad}, {"http://[::1]x/", bad},
		{"http://::1/", bad}, {"http://[::1]:x/", bad}, {"http://example.com:x/", bad}, {"http://example.com:0/", bad}, {"http://example.com:65536/", bad}, {"http://example.com:80:80/", bad},
		{"http://example.com:+80/", bad}, {"http://example.com:-1/", bad}, {"http://example.com:８０/", bad}, {"http://xn--a.example/", bad}, {"http://exa<mple.com/", bad}, {"http://example.com|evil/", bad},
		{"http://" + strings.Repeat("a", 64) + ".example/", bad}, {"http://example.com/" + strings.Repeat("a", maxAddress), bad}, {"http://example.com/" + strings.Repeat("\"", maxAddress/3), bad}, {"http://\xff.example/", bad}, {"http://☃", "no host"},
	} {
		a, err := ParseAddress(row.spelling)
		if row.want == bad {
			if err == nil {
				t.Errorf("%q: read as %s", row.spelling, a)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", row.spelling, err)
			continue
		}
		if again, err := ParseAddress(a.String()); err != nil || again != a {
			t.Errorf("%q: %s is read as %s (%v)", row.spelling, a, again, err)
		}
		if u, err := url.Parse(a.String()); err != nil || u.String() != a.String() || u.Host != a.Host() || u.RequestURI() != a.rest {
			t.Errorf("%q: %s goes out as %v", row.spelling, a, u)
		}
		if row.want == "" {
			continue
		}
		w.requests = nil
		if row.want == no || row.want == "no host" {
			if why := w.fails(t, row.spelling); row.want == no && !strings.Contains(why, "not fetched from") || why == "" {
				t.Errorf("%q: %s", row.spelling, why)
			}
			if met := w.met(); len(met) > 0 {
				t.Errorf("%q: connected to %v", row.spelling, met)
			}
			continue
		}
		if a.String() != row.want {
			t.Errorf("%q: judged as %s, want %s", row.spelling, a, row.want)
		}
		if text := w.text(t, row.spelling); !strings.Contains(text, "reached") || len(w.met()) != 1 {
			t.Errorf("%q: %s", row.spelling, text)
		}
		if r := w.requests[0]; "http://"+r.Host+r.RequestURI != row.want {
			t.Errorf("%q: judged as %s, sent as http://%s%s", row.spelling, row.want, r.Host, r.RequestURI)
		}
	}
}

// What follows a page's own address.
func TestAddressJoin(t *testing.T) {
	at := mustAddress(t, "https://example.com:8443/a/b?c#d")
	for link, want := range map[string]string{
		"x": "https://example.com:8443/a/x", "../x": "https://example.com:8443/x", "/x?y": "https://example.com:8443/x?y", "?y": "https://example.com:8443/a/b?y", "//other.example/z": "https://other.example/z",
		"http://other.example": "http://other.example/", "": at.String(), "#e": at.String(), "x:y/z": "", "mailto:a@b": "", "javascript:x": "", "./x:y": "https://example.com:8443/a/x:y",
		"http:x": "", "//u@other.example/": "", "///x": "", `\\evil.example`: "", "HTTPS://EXAMPLE.com/": "https://example.com/",
	} {
		got, err := at.join(link)
		if err == nil && got.String() != want || err != nil && want != "" {
			t.Errorf("%q: %v %v, want %s", link, got, err, want)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"http://example.com/a?b#c", "http://0x7f.1/", "https://[::1]:8443/%2e%2e/", "http://bücher.example./ü", "http://a/%%41%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			return
		}
		again, err := ParseAddress(a.String())
		if err != nil || again != a {
			t.Fatalf("%q: %s is read as %s (%v)", text, a, again, err)
		}
		u, err := url.Parse(a.String())
		if err != nil || u.Host != a.Host() || u.RequestURI() != a.rest || u.User != nil {
			t.Fatalf("%q: %s goes out as %v (%v)", text, a, u, err)
		}
	})
}
