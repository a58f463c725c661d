// Package pathname compares absolute paths as the system that it runs on does. It knows
// no folder, no disk and no permission.
package pathname
