package workspace

import "io"

const pipeRead = 256 << 10 // bytes of one read from a command

// copyOutput is io.Copy without its shortcuts: out must see pieces of a bounded
// size.
func copyOutput(out io.Writer, r io.Reader) {
	buf := make([]byte, pipeRead)
	for {
		n, err := r.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			return
		}
	}
}
