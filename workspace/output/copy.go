package output

import "io"

// PipeRead is how many bytes are read from a program at once.
const PipeRead = 256 << 10

// Copy is io.Copy without its shortcuts: out must see pieces of a bounded
// size.
func Copy(out io.Writer, r io.Reader) {
	buf := make([]byte, PipeRead)
	for {
		n, err := r.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			return
		}
	}
}
