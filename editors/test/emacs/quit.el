;; A person leaves Emacs while a question is open. Emacs says nothing to the server: it hangs up on it.
(configure "note.txt")
(agent "Change the note.")
(wait "the command is asked about" (lambda () (asked "echo changed > note.txt")))
(setq confirm-kill-processes nil)
