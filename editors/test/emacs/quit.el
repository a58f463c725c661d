;; A person leaves Emacs while a question is open. Emacs says nothing to the server: it hangs up on it.
(configure "note.txt")
(calmly (agent "Change the note."))
(wait "the command is asked about" (lambda () (offered "Allow once: echo changed > note.txt")))
