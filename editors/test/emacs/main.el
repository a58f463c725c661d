;; The main job: a prompt, a review, a yes by code action, a changed file, an artifact, an exploration, an undo, and a no.
(let ((note (in-root "note.txt")) (before "as it was\n"))
  (cl-flet ((untouched () (equal (file-text note) before)))
    (configure "note.txt")
    (calmly (funcall-interactively #'agent "Change the note."))
    (check "Emacs does not wait for the agent" (not (said "Agent: done")))
    (wait "trust is asked about" (lambda () (asked "Do you trust the files in")))
    (wait "and, elsewhere, the edit" (lambda () (open-question "edit note.txt")))
    (dolist (q questions) (check "the first item of a question is no yes" (member (cadr q) '("Not now" "Review")) q))
    (stays "dismissed, nothing has run" #'untouched)
    (check "dismissed, both are open" (and (open-question "Do you trust") (open-question "edit note.txt")))
    (when showing
      (wait "progress says what it waits for" (lambda () (got "waiting for you: edit note.txt"))))

    (act "Not now: ")
    (wait "trust is refused" (lambda () (not (open-question "Do you trust"))))
    (check "an edit that was not seen is not to be allowed" (not (offered "Allow once: edit")) (offers))
    (act "Review diff: edit note.txt")
    (if showing
        (wait "the review is shown" (lambda () (shown "+as it is by now")))
      (wait "the review is said, its file first" (lambda () (and (said "Open this file: ") (said "+as it is by now")))))
    (with-current-buffer (get-file-buffer note)
      (wait "now it can be allowed" (lambda () (offered "Allow once: edit note.txt")))
      (act "Allow once: edit note.txt")
      (wait "the file is changed on disk" (lambda () (equal (file-text note) "as it is by now\n")) (lambda () (file-text note)))
      (wait "and the buffer shows it" (lambda () (equal (buffer-string) "as it is by now\n")) #'buffer-string)

      (wait "the command is offered" (lambda () (offered "Allow once: seq 1 20000")))
      (act "Allow once: seq 1 20000")
      (wait "the last word of the agent is shown" (lambda () (said "The note is changed and explored.")))

      (save-window-excursion
        (call-interactively #'agent-output)
        (wait "the artifact is shown, all of it" (lambda () (shown "\n19999\n20000\n"))))
      (save-window-excursion
        (call-interactively #'agent-transcript)
        (wait "the transcript is shown, with the sub-agent" (lambda () (shown "explore#1")))
        (check "and that the output was truncated" (with-current-buffer (shown "explore#1") (string-search "truncated" (buffer-string)))))
      (set-buffer (get-file-buffer note))

      (call-interactively #'agent-undo)
      (wait "the file is as it was" #'untouched)
      (wait "and so is the buffer" (lambda () (equal (buffer-string) before)) #'buffer-string)
      (wait "the person is told so" (lambda () (said "1 file is as it was before")))

      (calmly (agent "Once more."))
      (wait "the command is offered" (lambda () (offered "Reject: echo changed > note.txt")))
      (act "Reject: echo changed > note.txt")
      (wait "the agent goes on behind the no" (lambda () (said "I leave it as it was.")))
      (check "the file is untouched" (untouched))
      (let ((process (jsonrpc--process (eglot-current-server))))
        (eglot-shutdown (eglot-current-server) nil 60)
        (wait "eglot-shutdown ends it" (lambda () (not (process-live-p process))))))))
