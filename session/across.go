package session

import "github.com/agent-sidecar/agent-sidecar/model"

// acrossRuns is what runs leave for those behind them in this process. Nothing of it is
// logged. Only the goroutine that works on a run uses it.
type acrossRuns struct {
	failures           int                         // of summaries in a row
	flushedAt          int                         // the summary, from 1, before which memory was last written down
	toldOfTools        bool                        // a person was told which tools are left out
	toldOfPlaceholders bool                        // the model was told what placeholders are
	imagesTold         map[string]model.ImagesLeft // what was said of images that a model does not see, by its name
}
