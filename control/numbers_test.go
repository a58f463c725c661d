package control

import "testing"

// The numbers that the specification gives. What happens at the edge of each
// stands in the tests beside it, which take the number from the code: here it is
// written a second time.
func TestNumbersOfTheSpecification(t *testing.T) {
	for name, row := range map[string][2]int{
		"identical arguments that are hashed whole": {maxHashedArgs, 1 << 20},
		"free calls after once":                     {freeCalls, 3},
		"lines of a result":                         {DefaultMaxLines, 2000},
		"bytes of a result":                         {DefaultMaxBytes, 51_200},
	} {
		if row[0] != row[1] {
			t.Errorf("%s: %d, want %d", name, row[0], row[1])
		}
	}
}
