// Package bench measures the real program from outside: the built binary, the
// real wire, a real HTTP endpoint that answers at once. Every row is a ratio
// against a yardstick that is measured in the same run on the same machine, or
// a growth; absolute times are printed and promised to nobody. `make bench`
// runs it and fails where an issue's gate is missed. Under a plain `go test` it
// does nothing.
package bench
