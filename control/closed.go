package control

import (
	"path"
	"slices"
	"strings"
)

// Commands run in a sandbox in which the sensitive files of the workspace cannot be
// opened. Which files these are is decided here, by their names; what is in them the
// Vault looks at.

// sourceExtensions are of files that compilers and interpreters read. A build needs them,
// and a name like `credentials.go` says what the code is about. Shells are not here: a
// file with their extension is often a list of secrets to export.
var sourceExtensions = strings.Fields(`
	.go .rs .c .h .cc .cpp .cxx .hpp .hh .mm .swift .zig .pas .f90 .vhd
	.js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .astro .css .scss .less
	.py .pyi .pyx .rb .php .pl .pm .lua .r .jl
	.java .kt .kts .scala .groovy .clj .cljs .cs .fs .vb
	.hs .ml .mli .elm .erl .hrl .ex .exs .dart .nim .cr .lisp .el .rkt
	.proto .graphql .sol
`)

// keyExtensions are of files that hold a key, or only a certificate: the content tells.
// Binary key stores (`.p12`, `.jks`, …) are not here, they always count as a key.
var keyExtensions = []string{".pem", ".key", ".p8", ".pk8"}

// IsClosed says that commands in the sandbox cannot open the object, by its name. One
// that ends with "/" is a directory: it is closed with all that is in it.
func IsClosed(object string) bool {
	o := newObject(object)
	if dir, is := strings.CutSuffix(o.rest, "/"); is {
		return o.isFile() && sensitiveSet.hasWhole(dir)
	}
	return sensitiveSet.has(o) && !slices.Contains(sourceExtensions, extension(o.rest)) && !slices.Contains(keyExtensions, extension(o.rest))
}

// MayHoldKey says that commands in the sandbox cannot open the object unless its content
// is public, such as a certificate.
func MayHoldKey(object string) bool {
	o := newObject(object)
	return !strings.HasSuffix(o.rest, "/") && sensitiveSet.has(o) && slices.Contains(keyExtensions, extension(o.rest))
}

func extension(p string) string { return strings.ToLower(path.Ext(p)) }
