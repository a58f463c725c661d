package system

import "strings"

// Reminders of unsaved files begin with these words; that is how a later run finds
// what the model was told last.
const (
	unsavedNews = "Edited in the editor and not saved yet, so commands see the old text: "
	unsavedOver = "None of your edits is known to be unsaved in the editor any more."
)

// mostUnsaved is how many files a reminder names.
const mostUnsaved = 20

// Unsaved are the words of a reminder, "" where everything is saved.
func Unsaved(files []string) string {
	if len(files) == 0 {
		return ""
	}
	names := make([]string, min(len(files), mostUnsaved))
	for i := range names {
		names[i] = asName(files[i])
	}
	text := unsavedNews + strings.Join(names, ", ")
	if len(files) > len(names) {
		text += ", …"
	}
	return text + ". Ask the user to save where that matters."
}

// unsavedReminder is what a prompt is sent with where edits wait to be saved,
// "" where the model knows.
func unsavedReminder(files []string, said *Said) string {
	return unlessSaid(said, unsavedNews, unsavedOver, Unsaved(files))
}
