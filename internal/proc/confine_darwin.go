package proc

import "fmt"

// sandboxExec is where macOS keeps it. It has been called deprecated for years
// and is what there is.
const sandboxExec = "/usr/bin/sandbox-exec"

// confineAt becomes sandbox-exec, which becomes the command. It returns only
// with an error.
func confineAt(c Confinement, command []string, _ Restrict) error {
	if c.Level != Seatbelt {
		return fmt.Errorf("sandbox level %q is not available", c.Level)
	}
	closeInherited()
	return become(append([]string{sandboxExec, "-p", seatbeltProfile(c), "--"}, command...))
}
