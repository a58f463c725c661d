// Package scriptmodel is a scripted OpenAI-compatible model: an http.Handler that
// answers what its script says, in either API, and holds each request against what
// strict providers refuse. testclient/README.md says how a script is written.
//
// It imports no package of this module and not testing either: the demo of the
// program brings it along, and editors start it as a program (testclient/scripted).
package scriptmodel
