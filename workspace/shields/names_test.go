package shields

import (
	"fmt"
	"strings"
	"testing"
)

// What a name is is asked once, and of no more names kept than there is room for.
func TestVerdictsOfNamesAreKept(t *testing.T) {
	asked := 0
	is := kept(func(object string) bool { asked++; return strings.HasSuffix(object, "7") })
	for range 2 {
		for i := range mostVerdicts / 2 {
			if object := fmt.Sprint("vault:/f", i); is(object) != (i%10 == 7) {
				t.Errorf("%s: %v", object, i%10 != 7)
			}
		}
	}
	if asked != mostVerdicts/2 {
		t.Errorf("asked %d times about %d names", asked, mostVerdicts/2)
	}
	v := verdicts{of: is, known: map[string]bool{}}
	for i := range 2 * mostVerdicts {
		if object := fmt.Sprint("vault:/g", i); v.is(object) != (i%10 == 7) || len(v.known) > mostVerdicts {
			t.Fatalf("%s: %d are kept", object, len(v.known))
		}
	}
	if kept(nil) != nil {
		t.Error("nobody who is asked")
	}
}
