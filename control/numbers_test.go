package control

import (
	"testing"
	"time"
)

// The numbers that the specification gives. What happens at the edge of each
// stands in the tests beside it, which take the number from the code: here it is
// written a second time.
func TestNumbersOfTheSpecification(t *testing.T) {
	for name, row := range map[string][2]int{
		"identical arguments that are hashed whole (ruling 104)": {maxHashedArgs, 1 << 20},
		"free calls after once (control §5)":                     {freeCalls, 3},
		"lines of a result (control §6)":                         {DefaultMaxLines, 2000},
		"bytes of a result (control §6)":                         {DefaultMaxBytes, 51_200},
		"bytes of an audit file (control §7)":                    {maxAuditFile, 10 * 1024 * 1024},
		"bytes of a command in the audit (control §7)":           {maxAuditCommand, 4096},
		"bytes of a configuration file (ruling 71)":              {maxConfigBytes, 256 * 1024},
		"bytes of an agent file (ruling 71)":                     {maxAgentBytes, 256 * 1024},
		"bytes to and from a hook (control §8)":                  {MaxHookBytes, 1024 * 1024},
		"seconds of a hook (control §8)":                         {int(defaultHookTime / time.Second), 10},
		"the longest call of a server or a tool (workspace §3)":  {maxCallMs, 600_000},
	} {
		if row[0] != row[1] {
			t.Errorf("%s: %d, want %d", name, row[0], row[1])
		}
	}
}
