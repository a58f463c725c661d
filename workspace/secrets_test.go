package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// keyLines is a private key whose lines are n different ones.
func keyLines(n int) (text string, lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf("%s%04dZz9", strings.Repeat("aB3dE5fG7hJ9kL2m", 4)[:57], i))
	}
	return "-----BEGIN PRIVATE KEY-----\n" + strings.Join(lines, "\n") + "\n-----END PRIVATE KEY-----\n", lines
}

// looking makes the Vault of a room look for secrets, and counts the bytes that it
// looked through.
func (r *room) looking() *int {
	looked := new(int)
	r.v.secrets.find = func(text string) []tool.Secret {
		*looked += len(text)
		var out []tool.Secret
		for _, f := range secrets.Shapes(text) {
			out = append(out, tool.Secret{Kind: f.Kind, Start: f.Start, End: f.End, Part: f.Part, Bare: secrets.Bare(f.Kind)})
		}
		return out
	}
	return looked
}

// marked is the text of a result with what is marked in it.
func shownText(res tool.Result) string {
	out, at := "", 0
	for _, s := range res.Secrets {
		if s.Text == "" {
			out += res.Text[at:s.Start] + "⟦" + res.Text[s.Start:s.End] + "⟧"
			at = s.End
		}
	}
	return out + res.Text[at:]
}

// Bypass: a page or a hit shows letters of which only the file says that they are a
// secret, however the file is written.
func TestBypassSecretsOfAPage(t *testing.T) {
	key, l := keyLines(6)
	u16 := "\xFF\xFE"
	for _, u := range utf16.Encode([]rune("größe\n" + key)) {
		u16 += string([]byte{byte(u), byte(u >> 8)})
	}
	r := newRoom(t, map[string]string{
		"plain": "a\n" + key, "bom": "\xEF\xBB\xBFa\n" + key, "crlf": strings.ReplaceAll("a\n"+key, "\n", "\r\n"), "cr": strings.ReplaceAll("a\n"+key, "\n", "\r"), "u16": u16,
		"latin": strings.ReplaceAll("a\n"+key, "\naB3", "\n\xe9 \xe9 aB3"), "odd": strings.ReplaceAll("a\n"+key, "\naB3", "\né\xff\xff aB3"),
	})
	r.looking()
	for name, in := range map[string]string{"plain": "", "bom": "", "crlf": "", "cr": "", "u16": "", "latin": "é é ", "odd": "é\uFFFD "} {
		got := shownText(r.run("read", "path", name, "offset", 5, "limit", 2))
		if want := "5: " + in + "⟦" + l[2] + "⟧\n6: " + in + "⟦" + l[3] + "⟧\n("; !strings.HasPrefix(got, want) {
			t.Errorf("read %s: %q, want %q", name, got, want)
		}
		res := r.run("grep", "path", name, "pattern", "0002Zz", "context", 1)
		if name == "latin" {
			in = "\uFFFD \uFFFD "
		}
		if want := name + "\n  4- " + in + "⟦" + l[1] + "⟧\n  5: " + in + "⟦" + l[2] + "⟧\n  6- " + in + "⟦" + l[3] + "⟧\n("; !strings.HasPrefix(shownText(res), want) {
			t.Errorf("grep %s: %q, want %q", name, shownText(res), want)
		}
		if len(res.Secrets) != 6 || res.Secrets[3].Text == "" || res.Secrets[3].File != "vault:/"+name {
			t.Errorf("grep %s: %+v", name, res.Secrets)
		}
	}
}

// Bypass: the page lies deep in a file that is not looked through as a whole. What is
// 256 KiB away counts, and what stands in the first 64 KiB.
func TestBypassSecretsOfAHugeFile(t *testing.T) {
	key, l := keyLines(8)
	filler := strings.Repeat(strings.Repeat("x", 99)+"\n", wholeSecrets/100+1)
	near := strings.Repeat("some text here\n", 200<<10/15) // as in a commented key
	url := "postgres://u:t0pS3cretPw@h/x\n"
	r := newRoom(t, map[string]string{"huge": url + filler + key + near + key + "t0pS3cretPw\n" + filler})
	looked := r.looking()
	first := 1 + strings.Count(filler, "\n") + 1 // line of BEGIN
	got := r.run("read", "path", "huge", "offset", first+4, "limit", 1)
	if want := fmt.Sprintf("%d: ⟦%s⟧\n", first+4, l[3]); !strings.HasPrefix(shownText(got), want) {
		t.Errorf("%.200q, want %q", shownText(got), want)
	}
	known := false
	for _, s := range got.Secrets {
		known = known || s.Text == "t0pS3cretPw"
	}
	if !known {
		t.Error("nothing of the beginning is known")
	}
	if *looked > 2*aroundSecrets+headSecrets+1000 {
		t.Errorf("looked through %d bytes", *looked)
	}
	res := r.run("grep", "path", "huge", "pattern", "0005Zz")
	if n := strings.Count(shownText(res), "⟦"+l[5]+"⟧"); n != 2 {
		t.Errorf("%d of 2 hits are known: %.300q", n, shownText(res))
	}
}

// A content is looked through once, whatever is asked of it, and again once it is
// another, be it of the same size and time. A search looks only where it hits.
func TestSecretsAreLookedForOnce(t *testing.T) {
	key, _ := keyLines(6)
	text := strings.Repeat("a line\n", 1000) + key
	r := newRoom(t, map[string]string{"a": text, "b": text, "none": "nothing here\n"})
	looked := r.looking()
	for _, args := range [][]any{{"path", "a"}, {"path", "a", "offset", 1002}, {"path", "b", "offset", 7}} {
		r.run("read", args...)
	}
	r.run("grep", "path", ".", "pattern", "Zz9")
	if *looked != len(text) {
		t.Errorf("looked through %d bytes, not %d", *looked, len(text))
	}
	at := filepath.Join(r.root, "a")
	fi, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	r.put(map[string]string{"a": strings.Replace(text, "Zz9", "Yy8", 1)})
	if err := os.Chtimes(at, time.Time{}, fi.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := shownText(r.run("read", "path", "a", "offset", 1002, "limit", 1)); !strings.Contains(got, "Yy8⟧") || *looked != 2*len(text) {
		t.Errorf("%s, looked through %d bytes", got, *looked)
	}
}

func BenchmarkReadPage(b *testing.B) {
	text := strings.Repeat("func main() { return http.Get(\"https://example.com/a\") } // as usual\n", 5<<20/69)
	for _, look := range []string{"without", "known", "anew"} {
		b.Run(look, func(b *testing.B) {
			dir := b.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a"), []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
			v, err := Open([]Folder{{Path: dir}}, Options{Home: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			defer v.Close()
			r := &room{v: v}
			if r.looking(); look == "without" {
				v.secrets.find = nil
			}
			read, _ := tool.NewSet(v.Tools(Owner{Session: "s"})...).Lookup("read")
			for b.Loop() {
				if look == "anew" {
					v.secrets.known = nil
				}
				plan, err := read.Plan([]byte(`{"path": "a", "offset": 40000, "limit": 100}`))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := plan.Run(b.Context(), tool.Grant{}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
