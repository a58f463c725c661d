package proc

import "os"

// init lets a guard and a confined process begin at once. Go initialises a package when
// everything that it imports is; this one imports the standard library and one package
// beside it, so at this moment most of the program's packages, which a helper never uses,
// have not been touched yet. To initialise them is more work than most that a helper does.
//
// The words are only ever put on a command line by this package. What needs a Restrict has
// a word of its own, for Main: that comes from a package that may not be ready here.
func init() {
	if len(os.Args) < 2 {
		return
	}
	switch os.Args[1] {
	case guardArg:
		os.Exit(guardMain())
	case confineArg:
		os.Exit(confineMain(os.Args[2:], nil))
	}
}

// Main runs the confined process if args (os.Args) ask for one at a level that needs
// landlock; what else they can ask for init has already done. The first statement of main,
// and of TestMain of each test binary that starts commands, is:
//
//	if handled, code := proc.Main(os.Args, sandbox.Landlock); handled { os.Exit(code) }
func Main(args []string, landlock Restrict) (handled bool, code int) {
	if len(args) < 2 || args[1] != restrictArg {
		return false, 0
	}
	return true, confineMain(args[2:], landlock)
}
