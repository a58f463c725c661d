package bundle

// Version is the form of a bundle. A reader refuses what is newer.
const Version = 1

// Bounds of one bundle, in bytes unless said otherwise.
const (
	// maxFile is the largest file that is read; nothing in it is compressed, so it
	// bounds everything else.
	maxFile = 256 << 20
	maxLine = 1 << 20
	// maxPart is the largest blob or artifact that is taken along, maxParts all of
	// them together. What does not fit is named.
	maxPart  = 4 << 20
	maxParts = 32 << 20
	// maxPiece is how much of a blob or artifact is in one line.
	maxPiece = 48 << 10
	// maxChildren is the highest number of a sub-agent.
	maxChildren = 1000
)

// Header is the first line.
type Header struct {
	Bundle   string `json:"bundle"` // always formatName
	Version  int    `json:"version"`
	Program  string `json:"program"`  // which version of the program wrote it
	Session  string `json:"session"`  // its id where it was written
	Title    string `json:"title"`    // of the session
	Redacted bool   `json:"redacted"` // false: it holds everything, keys too
	Note     string `json:"note"`     // the same for a person
}

const formatName = "agent-sidecar session"

// Notes of the header.
const (
	noteRedacted = "Keys, tokens, passwords, e-mail addresses, the home, the user's name and the workspace's place were replaced by words in «». Prompts, answers and outputs are as they were: read it before you give it away."
	noteWhole    = "NOT REDACTED: everything is as it was, including keys and passwords. Do not give it to anybody."
)

// The other lines, each known by its first member. A log's head is followed by
// its lines, a part's by its pieces.
type (
	logHead struct {
		Log    string `json:"log"` // "root", or "sub/<n>" of a sub-agent
		Events int    `json:"events"`
	}
	partHead struct {
		Blob     string `json:"blob,omitempty"`     // hex sha256 of its bytes
		Artifact string `json:"artifact,omitempty"` // the artifactId where it was written
		MIMEType string `json:"mimeType,omitempty"`
		Bytes    int    `json:"bytes"`
		SHA256   string `json:"sha256,omitempty"` // of an artifact as it is here
		Encoding string `json:"encoding"`         // utf8 or base64
	}
	piece struct {
		Data string `json:"data"`
	}
	// LeftOut names what the log names and the bundle does not hold.
	LeftOut struct {
		Kind   string `json:"leftOut"` // blob, artifact or log
		Name   string `json:"name"`
		Bytes  int64  `json:"bytes,omitempty"`
		Reason string `json:"reason"`
	}
	end struct {
		End    bool   `json:"end"`
		Lines  int    `json:"lines"`  // before this one
		SHA256 string `json:"sha256"` // of them, with their newlines
	}
)
