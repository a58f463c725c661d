package model

// Kept is what was written of a conversation when it was last sent, so that its next
// request writes only what is new in it. It takes about as much memory as the
// conversation. The zero Kept has nothing yet. It is for one request at a time.
type Kept struct {
	dialect  dialect
	messages []Message // of the last request
	sizes    []int     // of the images in them, in bytes
	pieces   pieces    // what is written
	joints   []joint   // behind each group of messages that is written

	tools     []Tool // of the last request
	described []byte // what is written of them
}

// joint is a place in a conversation that the next request can go on from.
type joint struct {
	written
	messages, sizes, bytes int  // so many are before it
	whole                  bool // it is one also where nothing follows
}

// dialect is all on which it depends how messages are written, beside themselves.
type dialect struct {
	provider, model string
	vision, files   bool
	form            form
	quirks          map[string]bool
}

// written is what is known of the messages of a request that are written.
type written struct {
	sent     []string   // what a provider could refuse; replaced, never changed
	items    int        // messages of chat completions, or items of the Responses API
	invented int        // ids of calls
	images   int        // and files, also those of which only a line is sent
	older    int        // so many images of the request, the first, are not shown
	left     ImagesLeft // those of which only a line is sent
	foreign  int        // answers whose state stays here: it goes only to where it came from
	role     string     // of the last message of chat completions
	answer   bool       // the last message is the model's
	spots    [2]spot    // the last two things that are no answer
}

// dialectOf is how messages are written for a model that is asked in this way.
func dialectOf(info Info, as api, quirks map[string]bool) dialect {
	f := info.form
	f.api = as
	return dialect{info.Provider, info.Name, info.Vision, info.Files, f, quirks}
}

// spot is where a mark for the cache goes: behind a member of an object, or, where it is not
// empty, around a text that becomes a part of a message. Offsets are in bytes of a request.
type spot struct{ from, to int }
