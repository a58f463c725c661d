package history

// What a session's folder holds. Beside these stand caches and notes, each with
// the file that writes it.
const (
	LogFile          = "events.jsonl"
	LockFile         = "lock"        // held by the process that works on the session
	BlobFolder       = "blobs"       // what is too long for a line, by its hash
	TranscriptFolder = "transcripts" // conversations as they were before a summary
	ChildFolder      = "sub"         // sub/<n>, a folder of the same kind for each sub-agent
)
