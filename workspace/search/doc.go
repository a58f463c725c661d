// Package search looks for things in files: lines that match a pattern, names that match
// a glob, names that are like another, and the files below a directory that no ignore
// rule leaves out. It decides from texts, patterns and walks alone. It knows no Vault, no
// tool and no permission: which directories are searched, what a person would be asked
// about and what the editor has unsaved is told to it. It changes no file.
package search
