-- A person says by code action that the folder is trusted, and later that a command is allowed for good. The first run does not
-- wait for the answer, and a yes acts from the next call on.
return function(e)
	local root = vim.fn.getcwd()
	local function stored(text)
		local config = e.read(vim.env.HOME .. '/.agent-sidecar/config.jsonc')
		return config ~= nil and config:find(text, 1, true) ~= nil
	end
	e.start(e.note(), root)
	e.run('Look at the folder.')
	e.wait('trust is asked about', function() return e.question_of('config') end, e.pending)
	e.wait('the question pops up', function() return #e.questions == 1 end)
	e.check('it names the folder', e.questions[1] and e.questions[1].message:find(root, 1, true), e.questions)
	e.check('it offers only what can be answered: no "once"', e.questions[1] and not vim.tbl_contains(e.questions[1].items, 'Allow once'), e.questions)
	e.ended(1)
	e.check('the run did not wait for the answer', e.question_of('config'), e.pending())
	e.check('nothing is stored before the answer', not stored(root))

	local offers = e.offers()
	e.check('no action allows trust "once"', not e.offered(offers, 'Allow once'), e.titles(offers))
	e.act('Trust this folder: ', root)
	e.wait('the answer is in the config', function() return stored(root) end)
	e.check('the question is gone', #e.pending() == 0, e.pending())

	e.run('Write the note.')
	e.wait('the command is asked about', function() return e.question_of('bash') end, e.pending)
	e.check('it has not run', e.read(e.note()) == 'as it was\n')
	e.act('Always in this workspace', 'echo once')
	e.ended(2)
	e.check('the file is changed on disk', e.read(e.note()) == 'once\n', e.read(e.note()))

	vim.fn.writefile({ 'by hand' }, e.note())
	e.run('Write it again.')
	e.ended(3)
	e.check('the same command runs without a question', e.read(e.note()) == 'once\n', { e.read(e.note()), e.pending() })
	e.stop()
end
