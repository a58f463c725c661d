-- Where an open question shows as code actions and where it does not: never without a person, never outside the workspace.
return function(e)
	e.start(e.note(), vim.fn.getcwd())
	local function allowed(context) return e.offered(e.offers(context), 'Allow once: ', 'echo changed') ~= nil end
	e.check('before a run nothing is offered', #e.offers() == 0, e.offers())
	e.run('Change the note.')
	e.wait('the command is asked about', function() return e.question_of('bash') end, e.pending)

	e.check('a person is offered the answers', allowed())
	e.check('with only = agent too', allowed({ only = { 'agent' } }))
	e.check('with only = agent.approve too', allowed({ only = { 'agent.approve' } }))
	local rejects = e.offers({ only = { 'agent.reject' } })
	e.check('only = agent.reject offers no yes', #rejects > 0 and not e.offered(rejects, 'Allow') and not e.offered(rejects, 'Always'), e.titles(rejects))
	e.check('an automatic request is offered nothing', #e.offers({ triggerKind = 2 }) == 0, e.titles(e.offers({ triggerKind = 2 })))
	for _, kind in ipairs({ 'quickfix', 'source.organizeImports', 'source.fixAll', 'agentless' }) do
		e.check('a request for ' .. kind .. ' is offered nothing', #e.offers({ only = { kind } }) == 0, e.titles(e.offers({ only = { kind } })))
	end

	-- The same client, another buffer.
	vim.cmd.edit(e.elsewhere())
	vim.lsp.buf_attach_client(0, e.client.id)
	e.check('a file outside the workspace is offered nothing', #e.offers() == 0, e.titles(e.offers()))
	vim.cmd.edit(vim.fn.getcwd() .. '/new file.txt')
	vim.lsp.buf_attach_client(0, e.client.id)
	e.check('another file of the workspace is offered the answers', allowed())

	e.check('all this looking ran nothing', e.read(e.note()) == 'as it was\n')
	local stopped = e.command('cancel')
	e.check('the run can be stopped by its command', stopped.result and #stopped.result.cancelled.runs == 1, stopped)
	e.ended(1)
	e.check('a stopped run offers no yes', not allowed(), e.titles(e.offers()))
	e.stop()
end
