package proc

import (
	"fmt"
	"strings"
)

// seatbeltProfile says c in the language of sandbox-exec (macOS). The last rule
// that matches counts, so the places come in their order, the deepest last.
func seatbeltProfile(c Confinement) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	b.WriteString(`(allow file-write* (subpath "/dev/fd") (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))` + "\n")
	b.WriteString("(deny process-info* (target others))\n(deny signal (target others))\n(allow signal (target same-sandbox))\n")
	if !c.Network {
		b.WriteString("(deny network*)\n")
	} else { // daemons are not the network; names are looked up through one
		b.WriteString("(deny network-outbound (remote unix-socket))\n(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n")
	}
	for _, p := range c.rules() {
		if p.from != "" {
			continue // nothing can be seen at another path
		}
		at := "(subpath " + quoteSeatbelt(p.path) + ")"
		switch p.is {
		case hidden:
			fmt.Fprintf(&b, "(deny file-read* file-write* %s)\n", at)
		case shown:
			fmt.Fprintf(&b, "(allow file-read* %s)\n", at)
		case readOnly:
			fmt.Fprintf(&b, "(deny file-write* %s)\n", at)
		case writable:
			fmt.Fprintf(&b, "(allow file-read* file-write* %s)\n", at)
		}
	}
	if c.Temp != "" {
		fmt.Fprintf(&b, "(allow file-read* file-write* (subpath %s))\n", quoteSeatbelt(c.Temp))
	}
	return b.String()
}

// quoteSeatbelt writes a path as a string of the profile's language.
func quoteSeatbelt(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}
