package secrets

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func marked(s string, found []Found) string {
	return Replace(s, found, func(f Found, text string) string {
		if f.Part {
			return "⟦" + f.Kind + "…⟧"
		}
		return "⟦" + f.Kind + "⟧"
	})
}

// What is a key by its form, and what is one letter short of it, an example, a
// variable or a name that only looks alike.
func TestShapes(t *testing.T) {
	x := func(n int) string { return strings.Repeat("aB3dE5fG7h", 20)[:n] }
	const head = "eyJhbGciOiJIUzI1NiJ9" // {"alg":"HS256"}
	for in, want := range map[string]string{
		// lengths
		"ghp_" + x(29): "ghp_" + x(29), "ghp_" + x(30): "⟦ghp⟧",
		"github_pat_" + x(39): "github_pat_" + x(39), "github_pat_" + x(40): "⟦ghp⟧",
		"sk-" + x(19): "sk-" + x(19), "sk-" + x(20): "⟦sk⟧",
		"AKIA" + strings.ToUpper(x(15)): "AKIA" + strings.ToUpper(x(15)), "AKIA" + strings.ToUpper(x(16)): "⟦aws⟧", "AKIA" + strings.ToUpper(x(17)): "AKIA" + strings.ToUpper(x(17)),
		"xoxb-" + x(9): "xoxb-" + x(9), "xoxb-" + x(10): "⟦xox⟧",
		head + ".eyJ" + x(8) + "." + x(7): head + ".eyJ" + x(8) + "." + x(7), head + ".eyJ" + x(8) + "." + x(8): "⟦jwt⟧", "eyJ" + x(8) + ".eyJ" + x(8) + "." + x(8): "eyJ" + x(8) + ".eyJ" + x(8) + "." + x(8),
		"AIza" + x(34): "AIza" + x(34), "AIza" + x(35): "⟦google⟧", "AIza" + x(36): "AIza" + x(36),
		// what stands around
		`"ghp_` + x(36) + `"`: `"⟦ghp⟧"`, `{"a":"x\nghp_` + x(36) + `"}`: `{"a":"x\n⟦ghp⟧"}`, "xghp_" + x(36): "x⟦ghp⟧", "_sk-" + x(40): "_⟦sk⟧",
		"é ghp_" + x(36) + "é": "é ⟦ghp⟧é", "a-sk-" + x(40): "a-⟦sk⟧",
		// names, examples
		"sk-learn-contrib-lightning-extras": "sk-learn-contrib-lightning-extras", "sk-" + strings.Repeat("x", 40): "sk-" + strings.Repeat("x", 40),
		"ghp_" + strings.Repeat("x", 36): "ghp_" + strings.Repeat("x", 36), "sk-..........................": "sk-..........................",
		"hf_" + strings.Repeat("abcdefghij", 4): "hf_" + strings.Repeat("abcdefghij", 4), "xoxb-your-token-goes-here": "xoxb-your-token-goes-here",
		// passwords in addresses
		"https://me:hunter2@host/x": "https://me:⟦url⟧@host/x", "redis://:s3cretword@h": "redis://:s3cretword@h", "redis://:t0pS3cret@h": "redis://:⟦url⟧@h",
		"postgres://u:Xy7!p$q@h": "postgres://u:Xy7!p$q@h", "postgres://u:Xy7!p&q@h": "postgres://u:⟦url⟧@h", "amqps://u:p%40q9Zz@[::1]:1": "amqps://u:⟦url⟧@[::1]:1",
		"http://user:password@host": "http://user:password@host", "http://user:pass123@host": "http://user:pass123@host", "http://root:root@h": "http://root:root@h",
		"https://$USER:$TOKEN@h": "https://$USER:$TOKEN@h", "https://{user}:{key123}@h": "https://{user}:{key123}@h", "https://u:%s12345@h": "https://u:%s12345@h",
		"https://user@host:8080/x@y": "https://user@host:8080/x@y", "https://h:8080/a@b": "https://h:8080/a@b", "http://u:abc12@h": "http://u:⟦url⟧@h", "http://u:ab12@h": "http://u:ab12@h",
		// what was cut
		"ghp_" + x(10) + "… (line cut)": "⟦ghp…⟧… (line cut)", "KEY=sk-proj-" + x(8) + "…": "KEY=⟦sk…⟧…", "…" + x(12) + " next": "…⟦cut…⟧ next", "…" + x(11) + " next": "…" + x(11) + " next",
		"Loading… done": "Loading… done", "see sk-learn-extras…": "see sk-learn-extras…", "…abcdefghijklmnopqrstuvwxyz": "…abcdefghijklmnopqrstuvwxyz",
	} {
		if got := marked(in, Shapes(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A private key is known in a file, a listing with numbers, a diff, a literal and in
// one line; what merely names one is none.
func TestPrivateKeys(t *testing.T) {
	l := func(c string) string { return strings.Repeat("aB3dE5f"+c, 8) }
	const begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
	for name, row := range map[string][2]string{
		"file":         {begin + "\n" + l("1") + "\r\n" + l("2") + "\naB=\n" + end + "\nbehind\n", begin + "\n⟦pem⟧\r\n⟦pem⟧\n⟦pem⟧\n" + end + "\nbehind\n"},
		"numbered":     {"9: " + begin + "\n10: " + l("1") + "\n11: aB3=\n12: " + end, "9: " + begin + "\n10: ⟦pem⟧\n11: ⟦pem⟧\n12: " + end},
		"diff":         {"+" + begin + "\n++" + l("1") + "\n+" + l("2") + "\n+" + end, "+" + begin + "\n+⟦pem⟧\n+⟦pem⟧\n+" + end},
		"removed":      {"-" + begin + "\n-" + l("1") + "\n-" + end, "-" + begin + "\n-⟦pem⟧\n-" + end},
		"encrypted":    {begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011223344556677\n\n" + l("1") + "\n" + end, begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011223344556677\n\n⟦pem⟧\n" + end},
		"go literal":   {"var k = `" + begin + "\n" + l("1") + "\n" + end + "`", "var k = `" + begin + "\n⟦pem⟧\n" + end + "`"},
		"joined":       {`"` + begin + `\n" +` + "\n\t\"" + l("1") + `\n" +` + "\n\t\"" + end + `"`, `"` + begin + `\n" +` + "\n\t\"⟦pem⟧\\n\" +\n\t\"" + end + `"`},
		"json":         {`{"k":"` + begin + `\n` + l("1") + `\n` + l("2") + `\n` + end + `\n"}`, `{"k":"` + begin + `\n⟦pem⟧\n` + end + `\n"}`},
		"json, cut":    {`{"k":"` + begin + `\n` + l("1") + `\n` + l("2")[:20], `{"k":"` + begin + `\n⟦pem⟧`},
		"title":        {"x " + begin + "⏎" + l("1") + "⏎aB", "x " + begin + "⏎⟦pem⟧"},
		"yaml":         {"key: |\n  " + begin + "\n  " + l("1") + "\n  " + end, "key: |\n  " + begin + "\n  ⟦pem⟧\n  " + end},
		"cut behind":   {begin + "\n" + l("1") + "\n" + l("2")[:30], begin + "\n⟦pem⟧\n⟦pem⟧"},
		"cut before":   {l("1") + "\n" + l("2") + "\naB=\n" + end + "\n", "⟦pem⟧\n⟦pem⟧\n⟦pem⟧\n" + end + "\n"},
		"public":       {"-----BEGIN PUBLIC KEY-----\n" + l("1") + "\n-----END PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----\n" + l("1") + "\n-----END PUBLIC KEY-----"},
		"certificate":  {"-----BEGIN CERTIFICATE-----\n" + l("1") + "\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n" + l("1") + "\n-----END CERTIFICATE-----"},
		"only named":   {"It begins with " + begin + ".\nThe next line is text.\n" + end, "It begins with " + begin + ".\nThe next line is text.\n" + end},
		"example":      {begin + "\n...\n" + end + "\n" + begin + "\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n" + end, begin + "\n...\n" + end + "\n" + begin + "\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n" + end},
		"in a program": {`if strings.HasPrefix(s, "` + begin + `") {` + "\n\treturn parseThePrivateKeyThatFollowsHere(s)\n}\n", `if strings.HasPrefix(s, "` + begin + `") {` + "\n\treturn parseThePrivateKeyThatFollowsHere(s)\n}\n"},
	} {
		if got := marked(row[0], Shapes(row[0])); got != row[1] {
			t.Errorf("%s: %q, want %q", name, got, row[1])
		}
	}
}

// What is shown in pieces of any size shows no piece of a secret, and joined it is
// the whole text without its secrets.
func TestPending(t *testing.T) {
	x := strings.Repeat("aB3dE5fG7h", 4)
	for _, text := range []string{
		"The token is ghp_" + x + " and no other.", "a\nK=sk-" + x + "\nb", `{"k":"v\nghp_` + x + `"}`, "git clone https://me:t0pS3&cret@host/x now",
		"-----BEGIN PRIVATE KEY-----\n" + x + x[:24] + "\n" + x + x[:20] + "\naB3=\n-----END PRIVATE KEY-----\nbehind", "words as usual: this is a test - of Ss, gh and eyes…",
		"It begins with -----BEGIN PRIVATE KEY----- and then\nthere is text.", "sk-" + x + "…",
	} {
		want := marked(text, Shapes(text))
		for size := 1; size <= len(text); size++ {
			var shown strings.Builder
			held := ""
			for from := 0; from < len(text); from += size {
				held += text[from:min(len(text), from+size)]
				at := len(held) - Pending(held)
				shown.WriteString(marked(held[:at], Shapes(held[:at])))
				held = held[at:]
			}
			shown.WriteString(marked(held, Shapes(held)))
			if shown.String() != want {
				t.Errorf("in pieces of %d: %q, want %q", size, shown.String(), want)
				break
			}
		}
	}
	for _, plain := range []string{"this", "Going on with the tests", "say ", "x\n", "a/b/c.go", "eyes", "12"} {
		if n := Pending(plain); n != 0 {
			t.Errorf("%q waits with %d", plain, n)
		}
	}
}

// No text makes the search slow: what repeats the beginnings of secrets costs little
// more than any other.
func TestTimeIsLinear(t *testing.T) {
	plain := strings.Repeat("func main() { return x.y(z) } // as usual\n", 25_000)
	cost := func(s string, times int) time.Duration {
		best := time.Hour
		for range 3 {
			began := time.Now()
			for range times {
				Shapes(s)
			}
			best = min(best, time.Since(began))
		}
		return best
	}
	base := cost(plain, 1)
	t.Logf("%.1f MB of code: %v", float64(len(plain))/1e6, base)
	for _, piece := range []string{"sk-", "-sk-a", "eyJ-", "-eyJ.", "eyJaaaaaaaa.eyJ", "ghp_", "://", "://a:b", "x://a:", "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----\n",
		"-----BEGIN PRIVATE KEY-----\naB3dE5fG7haB3dE5fG7haB3d\n", "aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3dE5fG7haB3dE5fG7haB3d\n-----END PRIVATE KEY-----\n", "…", "a…", "ghp_a…", strings.Repeat("a", 4000) + "…", "«secret:", "SG.", "SG.aaaaaaaaaaaaaaaa.", "AKIA ", "xoxb-a "} {
		whole, quarter := strings.Repeat(piece, 1<<20/len(piece)), strings.Repeat(piece, 1<<18/len(piece))
		took := cost(whole, 1)
		if took <= 10*base {
			continue
		}
		// The whole takes as long as four times a quarter of it, or four times as long
		// where it is not linear. A clock alone would judge the machine, and who else
		// uses it interrupts what is long, not what is short: so both are as long, and
		// what counts is the best of some measurements.
		quarters := cost(quarter, 4)
		for tries := 0; 4*took > 9*quarters && tries < 10; tries++ {
			took, quarters = min(took, cost(whole, 1)), min(quarters, cost(quarter, 4))
		}
		t.Logf("%.20q repeated: %v, its quarters %v", piece, took, quarters)
		if 4*took > 9*quarters {
			t.Errorf("%.20q repeated: %v, its quarters %v", piece, took, quarters)
		}
	}
}

// Stretches are in order, apart, inside the text, and none goes over a line end.
func FuzzShapes(f *testing.F) {
	x := strings.Repeat("aB3dE5fG7h", 4)
	for _, s := range []string{"ghp_" + x, "https://a:" + x + "@h", "-----BEGIN PRIVATE KEY-----\n" + x + "\n-----END PRIVATE KEY-----", "…" + x + "…sk-" + x, "eyJ" + x + ".eyJ" + x + "." + x} {
		f.Add(s, true, false)
	}
	f.Fuzz(func(t *testing.T, s string, before, after bool) {
		at := 0
		for _, found := range ShapesOfPiece(s, before, after) {
			if found.Start < at || found.End <= found.Start || found.End > len(s) {
				t.Fatalf("%+v behind %d in %d bytes", found, at, len(s))
			}
			if strings.Contains(s[found.Start:found.End], "\n") {
				t.Fatalf("%+v goes over a line end", found)
			}
			at = found.End
		}
		if n := Pending(s); n < 0 || n > len(s) {
			t.Fatal(n)
		}
	})
}

func BenchmarkShapes(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20} {
		text := strings.Repeat("func main() { return http.Get(\"https://example.com/a\") } // as usual, risk-free\n", size/80)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Shapes(text)
			}
		})
	}
}
