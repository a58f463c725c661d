;;; person.el --- the person in front of Emacs: what a scenario does and looks at  -*- lexical-binding: t -*-
;; It uses what Emacs brings, eglot and the lines of editors/README.md.

(require 'cl-lib)
(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil) ; nothing is compiled behind a test

(defvar questions nil "What was asked, newest first: (PROMPT . CHOICES).")
(defvar choose (lambda (_prompt _choices) nil) "Answers a question; nil dismisses it.")
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
(defun true-within (seconds is)
  (let ((end (+ (float-time) seconds)) ok)
    (while (and (not (setq ok (funcall is))) (< (float-time) end)) (accept-process-output nil 0.01))
    ok))
(defun wait (what is &optional extra)
  "A check of something that becomes true within ten seconds."
  (check what (true-within 10 is) (and extra (funcall extra))))
(defun stays (what is)
  "A check of something that is not to happen."
  (check what (not (true-within 0.4 (lambda () (not (funcall is)))))))

;; A person chooses by completion. In batch Emacs would read from stdin.
(setq last-nonmenu-event t) ; else eglot takes it for a click and opens a menu
(defun answer (prompt choices &rest _)
  (let* ((titles (all-completions "" choices)) (chosen (funcall choose prompt titles)))
    (push (cons prompt titles) questions)
    (or chosen (signal 'quit nil)))) ; C-g
(advice-add 'completing-read :override #'answer)
(advice-add 'yes-or-no-p :override (lambda (&rest _) t))

(defun asked (text) (cl-find-if (lambda (q) (string-search text (car q))) questions))

(defun offers ()
  "The titles of the code actions here, in their order."
  (mapcar (lambda (a) (plist-get a :title)) (append (eglot-code-actions (point) (point)) nil)))
(defun offered (start) (cl-find-if (lambda (title) (string-prefix-p start title)) (ignore-errors (offers))))

(defun act (start)
  "Take the code action whose title begins with START, by the menu that a person has."
  (let* (seen (choose (lambda (_prompt titles) (setq seen titles) (cl-find-if (lambda (title) (string-prefix-p start title)) titles))))
    (condition-case err
        (progn (call-interactively #'eglot-code-actions) (check (format "a person chooses \"%s\"" start) t))
      ((error quit) (check (format "a person chooses \"%s\"" start) nil (list err seen))))))

(defun configure (file)
  "Load the lines of the README, open FILE and wait for the server that this starts."
  (load (getenv "README_LINES") nil t)
  (setq eglot-sync-connect 10)
  (find-file (in-root file))
  (run-hooks 'post-command-hook) ; eglot-ensure waits for the end of a command; in batch there is none
  (wait "the configuration starts it" (lambda () (eglot-current-server)))
  (wait "the file is known to it" (lambda () (sent "textDocument/didOpen"))))

(defun play (scenario)
  (condition-case err
      (load (expand-file-name (concat scenario ".el") (file-name-directory (getenv "SCENARIOS"))) nil t)
    ((error quit) (check "the scenario runs" nil err) (kill-emacs 1)))
  (kill-emacs 0))
