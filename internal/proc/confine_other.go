//go:build unix && !linux && !darwin

package proc

import "fmt"

func confineAt(c Confinement, _ []string, _ Restrict) error {
	return fmt.Errorf("sandbox level %q is not available", c.Level)
}
