package web

import (
	"net/http"
	"strings"
	"testing"
)

// A rule for the host opens its port and addresses near this machine, and nothing
// else.
func TestOpened(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) { rw.Write([]byte("reached")) })
	for name, to := range map[string]string{"dev.test": "127.0.0.1", "lan.test": "192.168.1.5", "meta.test": "169.254.169.254", "zero.test": "0.0.0.0", "ali.test": "100.100.100.200", "tail.test": "100.64.3.3", "mapped.test": "::ffff:127.0.0.1", "nat.test": "64:ff9b::7f00:1", "pub.test": "93.184.216.34"} {
		w.leads(name, []string{to})
	}
	for url, want := range map[string]bool{
		"http://127.0.0.1:3000/": true, "http://[::1]:3000/": true, "http://localhost:5173/": true, "http://app.localhost:5173/": true, "http://dev.test:3000/": true,
		"http://lan.test:3000/": true, "http://tail.test:3000/": true, "http://10.0.0.1:9/": true, "http://[fd12::1]:9/": true, "http://pub.test:9000/": true, "http://93.184.216.34:9000/": true,
		"http://169.254.169.254/": false, "http://meta.test/": false, "http://[fd00:ec2::254]/": false, "http://100.100.100.200/": false, "http://ali.test/": false, "http://0.0.0.0:3000/": false,
		"http://zero.test:3000/": false, "http://[::ffff:127.0.0.1]:3000/": false, "http://[::]:3000/": false, "http://[64:ff9b::7f00:1]/": false, "http://nat.test/": false, "http://[2002:7f00:1::]/": false,
		"http://224.0.0.1/": false, "http://192.0.2.1/": false, "http://[fe80::1]/": false, "http://[::127.0.0.1]/": false,
	} {
		w.words = map[string]Judgement{"http": {Verdict: Allowed}}
		if why := w.fails(t, url); !strings.Contains(why, "not fetched from") {
			t.Errorf("%s without a rule: %s", url, why)
		}
		w.words = map[string]Judgement{"http": {Verdict: Allowed, Opened: true}}
		if want {
			w.text(t, url)
		} else if why := w.fails(t, url); !strings.Contains(why, "not fetched from") {
			t.Errorf("%s with a rule: %s", url, why)
		}
		w.words = map[string]Judgement{}
	}
	if why := w.fails(t, "http://localhost:5173/"); !strings.Contains(why, `{"domain":"web_fetch","pattern":"url:http://localhost:5173/*","decision":"allow"}`) {
		t.Error(why)
	}
	if why := w.fails(t, "http://169.254.169.254/"); strings.Contains(why, "rule") {
		t.Error(why)
	}
}

// A rule with an IP address opens that one and no neighbour, and a connection is
// made for the host that was judged and for no other, whoever asks for one.
func TestOpenedForOneHost(t *testing.T) {
	for to, others := range map[string][]string{
		"http://127.0.0.1:3000/":    {"127.0.0.2:3000", "10.0.0.1:3000", "[::1]:3000", "127.0.0.1:3001"},
		"http://192.168.1.20:3000/": {"192.168.1.21:3000", "127.0.0.1:3000", "[fd12::1]:3000"},
		"http://[fd12::1]:3000/":    {"[fd12::2]:3000", "[::1]:3000", "127.0.0.1:3000"},
	} {
		g := newGuard(mustAddress(t, to), true)
		own := strings.TrimSuffix(strings.TrimPrefix(to, "http://"), "/")
		for _, at := range append(others, own) {
			network := "tcp4"
			if at[0] == '[' {
				network = "tcp6"
			}
			if err := g.check(network, at); (err == nil) != (at == own) {
				t.Errorf("a rule for %s, connecting to %s: %v", to, at, err)
			}
		}
	}
	w := newWorld(t, func(http.ResponseWriter, *http.Request) {})
	w.leads("pub.test", []string{"93.184.216.34"})
	dial := w.network.transport(newGuard(mustAddress(t, "http://pub.test/"), false), false).DialContext
	for addr, want := range map[string]bool{"pub.test:80": true, "pub.test:8080": false, "other.test:80": false, "93.184.216.34:80": false} {
		conn, err := dial(t.Context(), "tcp", addr)
		if (err == nil) != want {
			t.Errorf("%s: %v", addr, err)
		}
		if conn != nil {
			conn.Close()
		}
	}
}
