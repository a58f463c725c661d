package session

import "strings"

// hearOfJobs tells the model, before it is asked, what has ended in the background
// since. Nobody has to ask for it again and again.
func (w *worker) hearOfJobs(r *run) {
	if news := w.deps.Jobs.JobNews(w.id); len(news) > 0 {
		remind(w.journal, r, strings.Join(news, "\n"))
	}
}

// endJobs ends what runs in the background of a session that is over.
func (s *Session) endJobs() {
	s.deps.Jobs.EndJobs(s.id)
}
