//go:build !unix

package workspace

import "os"

// turnTaken is false: a directory cannot be locked here, and the look alone has to do.
func turnTaken(*os.File) bool { return false }
