package session

import (
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/system"
)

// worker works on the runs of a session, one after the other. Only the goroutine that does
// so uses it.
type worker struct {
	*watchers
	deps      *Deps
	id        string // of the session
	journal   *journal.Journal
	blobs     blobs
	view      *view
	env       system.Environment // as it was at the start of the session
	across    acrossRuns
	authority *authority
	asker     *asker
	calls     *caller
	room      *compactor
	tools     *toolbox
	agents    *roster
	titles    *titler
}

// acrossRuns is what runs leave for those behind them in this process. Nothing of it is
// logged. Only the goroutine that works on a run uses it.
type acrossRuns struct {
	toldOfTools bool                        // a person was told which tools are left out
	imagesTold  map[string]model.ImagesLeft // what was said of images that a model does not see, by its name
	effortTold  map[string]bool             // that a model takes no effort was said, by its name
	askedLast   string                      // the model that has answered last, with its provider
	skills      keptSkills                  // what the prompt says of them
	said        system.Said                 // the reminders that the model sees
}

// loop is think, call, think again.
func (w *worker) loop(r *run) stop {
	for {
		if end, over := w.limit(r); over {
			return end
		}
		w.hearOfJobs(r)
		w.view.countExactly(r, w.view.flushAt(r), w.view.bounds(r.model.Info()).Trigger)
		if shrunk(w.view, r) {
			w.refit(r)
		}
		if hopeless := w.roomless(r, roomUnasked, ""); hopeless != nil {
			return r.stopFor(hopeless)
		}
		if end, over := w.room.makeRoom(r); over {
			return end
		}
		answer, err := w.think(r)
		if err != nil {
			return r.stopFor(err)
		}
		w.titles.begin(r)
		if answer.refused != nil {
			return *answer.refused // nothing of it runs, and it is not asked again
		}
		if len(answer.Calls) == 0 {
			if end, over := w.afterText(r, answer); over {
				return end
			}
			continue
		}
		if end, over := w.callAll(r, answer); over {
			return end
		}
	}
}

// afterText decides what an answer without calls means: the end, unless it was
// cut, is empty, or somebody has said something meanwhile.
func (w *worker) afterText(r *run, answer answered) (stop, bool) {
	written := model.WrittenCall(answer.Text, func(name string) bool { return has(r.tools, name) })
	switch {
	case answer.cut && r.cuts > 1:
		return cutTwice, true
	case answer.cut:
		remind(w.journal, r, "Your answer was cut at the output limit. Continue exactly where it stopped.")
		return stop{}, false
	case answer.FinishReason == "pause_turn": // the provider has paused it, and the model has more to say
		remind(w.journal, r, "Your answer was paused by the provider. Continue exactly where it stopped.")
		return stop{}, false
	case written != "" && !r.corrected:
		r.corrected = true
		remind(w.journal, r, "Your last answer was the call of the tool "+written+", written as text. Nothing ran. "+rightly(r.model.Info()))
		return stop{}, false
	case strings.TrimSpace(answer.Text) == "" && !r.nudged:
		r.nudged = true
		remind(w.journal, r, "Your last answer was empty. Continue with the task, or say that it is done.")
		return stop{}, false
	}
	x := w.journal.Begin()
	defer x.End()
	if x.State.Unanswered() {
		return stop{}, false
	}
	r.leaving.Store(true)
	if written != "" {
		return stop{reason: history.StopEndTurn, message: said.That("Stopped: %s wrote the call of %s as text twice, so nothing ran. %s", answer.Model, written, MakesCalls(r.model.Info()))}, true
	}
	if strings.TrimSpace(answer.Text) == "" {
		return emptyTwice(answer), true
	}
	return stop{reason: history.StopEndTurn}, true
}

// emptyTwice ends a run in which nothing was said, also when it was asked for once more.
func emptyTwice(answer answered) stop {
	message := said.That("Stopped: the model's answer was empty twice.")
	if strings.TrimSpace(answer.Reasoning) != "" {
		message = said.That("Stopped: the model only reasoned and gave no answer, twice.")
	}
	return stop{reason: history.StopEndTurn, message: message}
}

// tellNoted shows what a run has noted, with the files whose changes an undo takes back.
func (w *worker) tellNoted(r *run) {
	if len(r.noted.texts) == 0 {
		return
	}
	list := strings.Join(r.noted.texts[:min(len(r.noted.texts), mostNoted)], ", ")
	if more := len(r.noted.texts) - mostNoted; more > 0 {
		list += fmt.Sprintf(" (+%d)", more)
	}
	w.show(r.id, "notice", Notice{Severity: "info", Kind: "memory", Paths: r.noted.paths,
		Title: said.That("Noted for later sessions: %s. To undo it, undo the changes of this run in %s.", list, strings.Join(r.noted.paths, ", "))})
}

// hearOfJobs tells the model, before it is asked, what has ended in the background
// since. Nobody has to ask for it again and again.
func (w *worker) hearOfJobs(r *run) {
	if news := w.root.place().Jobs.JobNews(w.id); len(news) > 0 {
		remind(w.journal, r, strings.Join(news, "\n"))
	}
}
