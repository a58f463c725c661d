// Package jobs is the commands that go on while their session works: numbered,
// bounded, read, waited for, stopped. It starts no program, knows no Vault and
// decides nothing: what a job does is given to it as a function.
package jobs
