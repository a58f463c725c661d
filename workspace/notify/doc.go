// Package notify says which directories are as they were, because the system would have
// told otherwise, so that who knows a tree has to look only at what has changed in it. It
// reads no directory and knows no file.
package notify
