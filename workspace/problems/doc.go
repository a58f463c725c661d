// Package problems is what the editor says is wrong with documents: bounded, the
// last word about each, and the errors that a change has brought. It knows
// documents by their keys and no file, and asks the editor for nothing: it waits
// for what comes.
package problems
