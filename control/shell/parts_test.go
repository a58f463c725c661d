package shell

import (
	"slices"
	"testing"
)

// A word of three parts, of which the second is not known, yields no string by itself.
func TestPartsYieldOnlyWhatIsKnown(t *testing.T) {
	word := slices.Concat(known("-C/a"), notKnown, Parts{{text: "b *", unquoted: true}})
	if text, ok := word.Text(); ok || text != "" {
		t.Errorf("%q is known", text)
	}
	before, after, found := word.cut("/")
	plain, _ := slices.Concat(known("a"), Parts{{text: "b", unquoted: true}}).Text()
	for name, ok := range map[string]bool{
		"a word in two parts is known": plain == "ab",
		"what is not known is filled":  word.filled("_") == "-C/a_b *" && word.filled("") == "-C/ab *",
		"it begins":                    word.begins("-C/a") && word.begins("-") && word.begins("") && !word.begins("-C/ab") && !word.begins("-D"),
		"it is nothing":                !word.is("-C/ab *") && !word.in("-C/ab") && !notKnown.is("") && Parts(nil).is("") && known("a").is("a"),
		"it is cut":                    found && before.is("-C") && after.filled("?") == "a?b *",
		"only what is unquoted splits": len(word.split(blanks)) == 2 && len(known("a b").split(blanks)) == 1,
		"only what is unquoted is wild": word.wild() && !known("*").wild() && !word.literal().wild() &&
			(Parts{{text: "[", unquoted: true}, {text: "]"}, {text: "]", unquoted: true}}).wild(),
		"a part is replaced by parts": func() bool {
			out, there := known("a{}b{}").replaced("{}", notKnown)
			return there && out.filled("?") == "a?b?"
		}(),
		"lines keep what is not known": func() bool {
			lines := slices.Concat(known("a\nb"), notKnown, known("\n\n"), notKnown).lines()
			return len(lines) == 4 && lines[0].is("a") && lines[1].filled("?") == "b?" && lines[2].is("") && lines[3].filled("?") == "?"
		}(),
	} {
		if !ok {
			t.Error(name + ": no")
		}
	}
}
