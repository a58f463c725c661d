package proc

import (
	"encoding/json"
	"os"
)

// init lets a guard and a confined process begin at once. Go initialises a package when
// everything that it imports is; this one imports the standard library and one package
// beside it, so at this moment most of the program's packages, which a helper never uses,
// have not been touched yet. To initialise them is more work than all that a helper does.
//
// A word that only this package puts on a command line decides, as in Main, which still
// runs what needs a Restrict: that comes from a package that is not ready here.
func init() {
	if len(os.Args) < 2 {
		return
	}
	switch os.Args[1] {
	case guardArg:
		os.Exit(guardMain(os.Args[2:]))
	case confineArg:
		if !wantsRestrict(os.Args[2:]) {
			os.Exit(confineMain(os.Args[2:], nil))
		}
	}
}

// wantsRestrict says that the order of a confined process cannot be obeyed, or refused,
// without a Restrict.
func wantsRestrict(args []string) bool {
	var c Confinement
	if len(args) == 0 || json.Unmarshal([]byte(args[0]), &c) != nil {
		return true // Main says what is wrong with it
	}
	return c.Level == Landlock || c.Level == Namespaces && c.Network
}
