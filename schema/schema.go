// Package schema is the protocol and the configuration file, machine-readable, as
// they are checked in: what the program serves, what extension authors generate
// their types from, and what a change of the protocol shows up in. The files are
// made from the Go types and the table of keys by `make update`; a test holds one
// against the other. The program reads them instead of making them, because making
// them takes longer than an editor should wait for initialize.
package schema

import _ "embed"

//go:embed metaModel.json
var metaModel []byte

//go:embed metaModel.sha256
var hash string

//go:embed protocol.schema.json
var jsonSchema []byte

//go:embed config.schema.json
var config []byte

// Config is the JSON Schema of the configuration file, made from its table of
// keys. The caller does not change it.
func Config() []byte { return config }

// MetaModel is the methods, events, errors and commands as JSON. The caller
// does not change it.
func MetaModel() []byte { return metaModel }

// JSONSchema is the same as one JSON Schema: a definition for each params,
// result and event. The caller does not change it.
func JSONSchema() []byte { return jsonSchema }

// Hash is the version of MetaModel that initialize names: the first 16 hex
// digits of its sha256.
func Hash() string { return hash }
