// Package undo says what it takes to bring files back: from what a session has
// changed and what is there now it makes steps and conflicts. It touches no
// file; anyone who carries the steps out looks again before each.
package undo
