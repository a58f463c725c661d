//go:build !unix

package workspace

import "os"

// dirLocked is false: a directory cannot be locked here, and the look alone has to do.
func dirLocked(*os.File) bool { return false }

func dirUnlock(*os.File) {}
