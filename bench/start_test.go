package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"testing"
	"time"
)

// startGate is how many times as long as a hello-world the start may take.
const startGate = 3

// BenchmarkStart is spawn → initialize answered, against the spawn of a Go
// hello-world until its line is read. They take turns, so that both see the
// same machine.
func BenchmarkStart(b *testing.B) {
	sidecar, hello := binaries(b)
	dir := b.TempDir()
	params, err := json.Marshal(map[string]any{"processId": nil, "rootUri": "file://" + dir, "capabilities": map[string]any{}})
	if err != nil {
		b.Fatal(err)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":%s}`, params)
	input := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	value, measured := attempts(startGate, func() (float64, string) {
		var ours, yard []time.Duration
		for range 41 {
			yard = append(yard, firstLine(b, exec.Command(hello), ""))
			cmd := exec.Command(sidecar, "--stdio", "--home", dir+"/home")
			cmd.Dir = dir
			ours = append(ours, firstLine(b, cmd, input))
		}
		o, y := median(ours), median(yard)
		return float64(o) / float64(y), fmt.Sprintf("%.2f ms; hello-world %.2f ms", ms(o), ms(y))
	})
	gated(b, "spawn → initialize answered", value, startGate, "×hello", measured)
}

// firstLine is the time from before the start of cmd until its first line of
// output was read.
func firstLine(b *testing.B, cmd *exec.Cmd, input string) time.Duration {
	b.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if input != "" {
		if _, err := io.WriteString(in, input); err != nil {
			b.Fatal(err)
		}
	}
	_, err = bufio.NewReader(out).ReadString('\n')
	took := time.Since(start)
	if err != nil {
		b.Fatal(err)
	}
	_ = cmd.Process.Kill() // only its start was of interest
	_ = cmd.Wait()
	return took
}
