-- :qa! in front of an open question: nothing runs, nothing is left behind, and the sidecar ends as if nothing had been open.
return function(e)
	e.start(e.note(), vim.fn.getcwd())
	e.run('Change the note.')
	e.wait('the command is asked about', function() return e.question_of('bash') end, e.pending)
end
