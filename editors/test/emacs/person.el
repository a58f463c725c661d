;;; person.el --- the person in front of Emacs: what a scenario does and looks at  -*- lexical-binding: t -*-
;; It uses what Emacs brings, eglot and the lines of editors/README.md.

(require 'cl-lib)
(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil) ; nothing is compiled behind a test

(defvar questions nil "What was asked, newest first: (PROMPT . CHOICES).")
(defvar choose nil "The beginning of the code action to take.")
(defvar root (file-name-as-directory default-directory))
(defvar logs (file-name-as-directory (getenv "LOGS")))
(defconst showing (if (>= emacs-major-version 29) t nil) "This eglot opens documents for a server, and shows progress.")

(defun file-text (file)
  (when (file-readable-p file)
    (with-temp-buffer (insert-file-contents file) (buffer-string))))
(defun in-root (file) (expand-file-name file root))
(defun sent (text) (string-search text (or (file-text (concat logs "to-sidecar")) "")))
(defun got (text) (string-search text (or (file-text (concat logs "from-sidecar")) "")))
(defun said (text) (with-current-buffer (messages-buffer) (string-search text (buffer-string))))

(defun check (what ok &optional extra)
  "One line that counts; EXTRA is said where it failed."
  (princ (if ok (format "ok   %s\n" what)
           (format "FAIL %s%s\n" what (if extra (truncate-string-to-width (concat " -- " (string-replace "\n" " " (format "%S" extra))) 600) ""))))
  ok)
(defmacro calmly (&rest body)
  "BODY; C-g at a question ends what Emacs was doing, and Emacs goes on. In batch there is no command loop that would."
  `(condition-case nil (progn ,@body) (quit nil)))
(defun true-within (seconds is)
  (let ((end (+ (float-time) seconds)) ok)
    (while (and (not (setq ok (calmly (funcall is)))) (< (float-time) end))
      (calmly (accept-process-output nil 0.01))
      (dolist (b (buffer-list)) ; in batch Emacs is never idle, which is when eglot tells of changes
        (with-current-buffer b
          (when (bound-and-true-p eglot--managed-mode) (calmly (eglot--signal-textDocument/didChange))))))
    ok))
(defun wait (what is &optional extra)
  "A check of something that becomes true."
  (check what (true-within 30 is) (and extra (funcall extra))))
(defun stays (what is)
  "A check of something that is not to happen."
  (check what (not (true-within 0.4 (lambda () (not (funcall is)))))))

;; A person chooses by completion. In batch Emacs would read from stdin.
(setq last-nonmenu-event t) ; else eglot takes it for a click and opens a menu
(defun answer (prompt choices &rest _)
  (let ((titles (all-completions "" choices)))
    (if (string-search "Pick an action" prompt)
        (cl-find-if (lambda (title) (string-prefix-p choose title)) titles)
      (push (cons prompt titles) questions)
      ;; No answer, in two ways: C-g, for which eglot sends nothing at all, and an empty one. A quit would end Emacs 28 in batch.
      (if (< emacs-major-version 29) "" (signal 'quit nil)))))
(setq completing-read-function #'answer)

(defun asked (text) (cl-find-if (lambda (q) (string-search text (car q))) questions))

(defun open-question (text)
  "The open question whose title holds TEXT."
  (cl-find-if (lambda (q) (string-search text (plist-get q :title)))
              (append (plist-get (jsonrpc-request (eglot-current-server) :workspace/executeCommand
                                                  '(:command "agent-sidecar.approvals" :arguments []))
                                 :items)
                      nil)))
(defun shown (text)
  "A buffer that shows TEXT."
  (cl-find-if (lambda (b) (with-current-buffer b (and buffer-file-name (string-search text (buffer-string))))) (buffer-list)))

(defun offers ()
  "The titles of the code actions here, in their order. A question that pops up meanwhile takes the answer away: one looks again."
  (let ((titles 'gone) (tries 5))
    (while (and (eq titles 'gone) (> tries 0))
      (setq tries (1- tries)
            titles (condition-case nil (mapcar (lambda (a) (plist-get a :title)) (append (eglot-code-actions (point) (point)) nil))
                     (quit 'gone))))
    (unless (eq titles 'gone) titles)))
(defun offered (start) (cl-find-if (lambda (title) (string-prefix-p start title)) (ignore-errors (offers))))

(defun act (start)
  "Take the code action whose title begins with START, by the menu that a person has."
  (let ((choose start) (tries 5) outcome)
    (while (and (> tries 0) (not (eq outcome 'done)))
      (setq tries (1- tries)
            outcome (condition-case err (progn (call-interactively #'eglot-code-actions) 'done)
                      ((quit error) err)))
      ;; A question popped up meanwhile, and C-g ended both: what was chosen may be done. The person looks, and tries again.
      (unless (eq outcome 'done)
        (calmly (accept-process-output nil 0.3))
        (when (and (eq (car outcome) 'quit) (not (offered start))) (setq outcome 'done))))
    (check (format "a person chooses \"%s\"" start) (eq outcome 'done) (list outcome (ignore-errors (offers))))))

(defun configure (file)
  "Load the lines of the README, open FILE and wait for the server that this starts."
  (load (getenv "README_LINES") nil t)
  (setq eglot-sync-connect 60 eglot-connect-timeout 60 jsonrpc-default-request-timeout 60 ; the machine may stand still for a while
        auto-revert-use-notify nil auto-revert-interval 0.2) ; news of files are events for the command loop, too
  (find-file (in-root file))
  (run-hooks 'post-command-hook) ; eglot-ensure waits for the end of a command; in batch there is none
  (wait "the configuration starts it" (lambda () (eglot-current-server)))
  (wait "the file is known to it" (lambda () (sent "textDocument/didOpen"))))

(defun play (scenario)
  (condition-case err
      (load (expand-file-name (concat scenario ".el") (file-name-directory (getenv "SCENARIOS"))) nil t)
    ((error quit) (check "the scenario runs" nil err) (kill-emacs 1)))
  (kill-emacs 0))
