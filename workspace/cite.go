package workspace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// CitedLine is line n, from 1, of a file of the Vault, as the editor has it. A
// file outside, a sensitive one and a line that is not there are errors: nothing
// can be cited from them (control §9, ruling 117).
func (v *Vault) CitedLine(path string, n int) (string, error) {
	p, err := v.Path(path)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(p.Object(), "fs:") {
		return "", fmt.Errorf("%s is outside the workspace", p)
	}
	if v.isSensitive("", p.Object()) {
		return "", fmt.Errorf("%s is sensitive", p)
	}
	if text, dirty := v.buffers.dirty(p); dirty {
		return nthLine(strings.NewReader(text), n)
	}
	f, _, err := p.open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	return nthLine(f, n)
}

func nthLine(r io.Reader, n int) (string, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	head, _ := br.Peek(sniffBytes)
	end := lineEndByte(head)
	for at := 1; ; at++ {
		line, size, err := readLine(br, end, at == n)
		switch {
		case size == 0 && err != nil, err != nil && !errors.Is(err, io.EOF):
			return "", fmt.Errorf("there is no line %d", n)
		case at == n:
			return strings.TrimRight(string(line), "\r\n"), nil
		case err != nil:
			return "", fmt.Errorf("there is no line %d", n)
		}
	}
}
