-- :qa! while an approved command runs: it does not outlive the editor.
return function(e)
	e.start(e.note(), vim.fn.getcwd())
	e.run('Wait.')
	e.wait('the command is asked about', function() return e.question_of('bash') end, e.pending)
	e.act('Allow once: ', 'sleep 300')
	e.wait('it runs', function() return e.read(e.note()) == 'started\n' end)
end
