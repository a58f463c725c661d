package proc

import (
	"context"
	"os"
)

// Piped is a program that this process talks to over three pipes.
type Piped struct {
	*Process
	Stdin, Stdout, Stderr *os.File // the ends of this process, which the caller closes
}

// StartPiped starts the program args[0], which is found as by Find, under a guard. No
// context ends it: it is told by the end of its input.
func StartPiped(args, env []string, dir string) (*Piped, error) {
	program, err := Find(args[0])
	if err != nil {
		return nil, err
	}
	var p Piped
	var theirs [3]*os.File
	defer func() { closeFiles(theirs[:]) }()
	if theirs[0], p.Stdin, err = os.Pipe(); err == nil {
		if p.Stdout, theirs[1], err = OutputPipe(); err == nil {
			p.Stderr, theirs[2], err = os.Pipe()
		}
	}
	if err == nil {
		p.Process, err = Start(context.Background(), Command{
			Args: append([]string{program}, args[1:]...), Dir: dir, Env: env,
			Stdin: theirs[0], Stdout: theirs[1], Stderr: theirs[2],
		})
	}
	if err != nil {
		closeFiles([]*os.File{p.Stdin, p.Stdout, p.Stderr})
		return nil, err
	}
	return &p, nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
