package control

import "strings"

// PlainName is a file's object as people know the file: its path in the folder that
// they work in, the path in another folder behind the name of that folder, or where it
// is on the machine. What is no file's object stays as it is.
func PlainName(object string) string {
	if path, is := strings.CutPrefix(object, "fs:/"); is {
		return "/" + path
	}
	folder, path, is := strings.Cut(object, ":/")
	switch name, further := strings.CutPrefix(folder, "vault@"); {
	case !is:
		return object
	case further:
		return name + ": " + path
	case folder != "vault":
		return object
	case path == "" || strings.Contains(path, ":"): // it could be taken for a folder's name
		return "./" + path
	}
	return path
}
