//go:build linux

package workspace

import (
	"io"
	"os"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// BenchmarkSandbox is what a level costs: a command that does nothing, and 200 MB
// of output, as a whole call of bash would see them.
func BenchmarkSandbox(b *testing.B) {
	levels := map[string]sandbox.Level{"none": {Name: proc.None}, "namespaces": {Name: proc.Namespaces}, "landlock": {Name: proc.Landlock}}
	if path := sandbox.Bubblewrap(); path != "" {
		levels["bubblewrap"] = sandbox.Level{Name: proc.Namespaces, Bubblewrap: path}
	}
	dir := b.TempDir()
	for name, l := range levels {
		if l.Name != proc.None && sandbox.Probe(l) != nil {
			b.Logf("not run: sandbox level %s", name)
			continue
		}
		v, err := Open([]Folder{{Path: dir}}, Options{Home: b.TempDir(), UserHome: b.TempDir(), Prober: sandbox.At(l)})
		if err != nil {
			b.Fatal(err)
		}
		defer v.Close()
		run := func(b *testing.B, command string) {
			args, err := sandbox.ShellArgs(command)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				box, err := v.open(sandbox.Policy{}, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				exit, _, err := sandbox.Execute(b.Context(), proc.Command{Args: args, Dir: v.Root(), Env: proc.Scrub(os.Environ(), nil, nil, v.Root()), Confine: box.is}, io.Discard)
				if err != nil || exit.Code != 0 {
					b.Fatal(exit, err)
				}
			}
		}
		b.Run("spawn/"+name, func(b *testing.B) { run(b, "true") })
		b.Run("200MB/"+name, func(b *testing.B) { b.SetBytes(200 << 20); run(b, "head -c 209715200 /dev/zero") })
	}
}
