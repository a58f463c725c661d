package proc

import (
	"os"
	"testing"
	"fmt"
	"time"
	"bytes"
)

func TestTry(t *testing.T) {
	dir := t.TempDir(); tmp, _ := os.MkdirTemp("/var/tmp", "x"); home := t.TempDir()
	os.WriteFile(home+"/key", []byte("secret"), 0600)
	for _, bw := range []string{"", "/usr/bin/bwrap"} {
		c := Confinement{Level: Namespaces, Bubblewrap: bw, Write: []string{dir}, Hidden: []string{home, "/run"}, Temp: tmp}
		for range 3 {
		t0 := time.Now()
		r, w, _ := os.Pipe()
		p, err := Start(t.Context(), Command{Args: []string{"/bin/bash", "-c", "id; ls / /tmp "+home+"; mount | wc -l; touch x && echo ok; touch /etc/xx; touch ~/xx; grep Cap /proc/self/status; ls /dev; ip a; ps ax; echo $$; exit 3"}, Dir: dir, Env: os.Environ(), Stdout: w, Stderr: w, Confine: c})
		w.Close()
		if err != nil { t.Fatal(err) }
		var b bytes.Buffer
		b.ReadFrom(r)
		exit, err := p.Wait()
		n, e2 := p.Close()
		fmt.Println(b.String(), exit, err, n, e2, time.Since(t0))
		}
	}
}
