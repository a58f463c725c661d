package rpc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// However a client declares its tools, those that are in order count, and no more than are
// of use.
func TestHostTools(t *testing.T) {
	const ok = `{"name":"a","description":"x","inputSchema":{"type":"object"}}`
	var many []string
	for i := range mostHostTools + 3 {
		many = append(many, fmt.Sprintf(`{"name":"t%d","description":"x"}`, i))
	}
	for name, row := range map[string]struct {
		tools, tasks string
		used         int
		refused      int
	}{
		"none":              {"", "null", 0, 0},
		"no list":           {`"x"`, `{}`, 0, 2},
		"one":               {"[" + ok + "]", "", 1, 0},
		"of both":           {"[" + ok + "]", `[{"name":"b","description":"x"}]`, 2, 0},
		"the same name":     {"[" + ok + "]", `[{"name":"A","description":"x"}]`, 1, 1},
		"garbage beside it": {"[7,null,[]," + ok + `,"x"]`, "", 1, 4},
		"a long name":       {"[" + strings.Replace(ok, `"a"`, `"`+strings.Repeat("a", 41)+`"`, 1) + "]", "", 0, 1},
		"a name with a dot": {"[" + strings.Replace(ok, `"a"`, `"a.b"`, 1) + "]", "", 0, 1},
		"a long schema":     {`[{"name":"a","description":"x","inputSchema":{"type":"object","title":"` + strings.Repeat("x", hostSchema) + `"}}]`, "", 0, 1},
		"a schema of lists": {`[{"name":"a","description":"x","inputSchema":{"type":"array"}}]`, "", 0, 1},
		"without a schema":  {`[{"name":"a","description":"x"}]`, "", 0, 1},
		"too many":          {"", "[" + strings.Join(many, ",") + "]", mostHostTools, 3},
	} {
		used, refused := hostTools(json.RawMessage(row.tools), json.RawMessage(row.tasks))
		if len(used) != row.used || len(refused) != row.refused {
			t.Errorf("%s: %d used, refused %v", name, len(used), refused)
		}
	}
}
