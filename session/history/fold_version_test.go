package history

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// foldsOfVersion is the hash of what is folded of some logs, by the version of folds. A fold
// of an older version is thrown away; one that says something else under the same version
// would be believed.
var foldsOfVersion = map[int]string{
	5: "7a8a1f14c88886aaede4df3ff86f627ee68ca669fd0f9b8511fd862fec18db69",
}

// What follows from an event has not changed since folds of this version were written. Where
// this fails, foldVersion rises, and the hash that is named here belongs to the new one.
func TestFoldsOfThisVersion(t *testing.T) {
	all := sha256.New()
	for seed := range uint64(40) {
		live := NewTranscript()
		for _, e := range story(seed, 200) {
			if err := live.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		f := foldOf(live, nil)
		f.Program = ""
		body, err := f.encode(live.CallIDs)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(body)
	}
	if got := hex.EncodeToString(all.Sum(nil)); got != foldsOfVersion[foldVersion] {
		t.Errorf("folds of version %d have become %s", foldVersion, got)
	}
	if !strings.HasPrefix(program(), "5") {
		t.Errorf("the program is %q", program())
	}
}

// FuzzFold puts any text beside a log as its fold, with the right sum, for the right bytes of
// the log. It is taken or not; nothing panics, then or later, and what is allowed is what
// the log says.
func FuzzFold(f *testing.F) {
	dir := written(f, story(9, 40), 30)
	raw, err := os.ReadFile(filepath.Join(dir, foldFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw[65:])
	f.Add([]byte(strings.Replace(string(raw[65:]), `"seq":30`, `"seq":29`, 1)))
	f.Add([]byte(`{"program":"1"}`))
	f.Add([]byte(strings.Replace(string(raw[65:]), `"runs":{`, `"runs":{"Run":{"ID":"r7"},`, 1)))
	want := mustReplay(f, written(f, story(9, 40), 41))
	f.Fuzz(func(t *testing.T, body []byte) {
		if err := os.WriteFile(filepath.Join(dir, foldFile), append(sumOf(body), body...), 0o600); err != nil {
			t.Fatal(err)
		}
		l, got, err := Open(&durable.Disk{}, dir)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if got.Tainted != want.Tainted || got.Info.Mode != want.Info.Mode || !reflect.DeepEqual(got.Grants, want.Grants) || !reflect.DeepEqual(got.Pending, want.Pending) || !reflect.DeepEqual(got.Info.Params, want.Info.Params) {
			t.Errorf("what is allowed has become %+v", got)
		}
		got.Messages(func(string) ([]byte, error) { return nil, nil })
		got.FactsBefore(len(got.Items))
		got.Total()
		for _, e := range story(109, 90)[40:] {
			_ = got.Apply(e) // a seq may be another one
		}
	})
}
