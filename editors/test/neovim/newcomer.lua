-- A person who has a provider and has named no model: the first prompt offers what there is, as a question, and among the code actions.
return function(e)
	local config = vim.env.HOME .. '/.agent-sidecar/config.jsonc'
	local function asked(text)
		for _, question in ipairs(e.questions) do
			if question.message:find(text, 1, true) then return question end
		end
	end
	e.start(e.note(), vim.fn.getcwd())
	e.run('Say hello.')
	e.wait('the prompt is answered with what is missing, and the way', function()
		return vim.iter(e.messages):any(function(m) return m:find('No model is set up. Choose one among the code actions', 1, true) end)
	end, function() return e.messages end)
	e.wait('the models that there are are asked about', function() return asked('Which one shall I use?') end, function() return e.questions end)
	e.check('none is the first choice', vim.deep_equal(asked('Which one shall I use?').items, { 'Not now', 'acme/small-1', 'acme/big-2' }), e.questions)
	e.check('dismissed, nothing is stored', not e.read(config):find('"model"', 1, true))
	e.check('each is a code action, too', e.offered(e.offers(), 'Agent: use the model acme/big-2'), e.titles(e.offers()))
	local answer = e.command('useModel', 'acme/big-2')
	e.check('the command takes a model and runs the prompt again', answer.result and answer.result.runId, answer)
	e.ended(2)
	e.check('the model is stored', e.read(config):find('"model": "acme/big-2"', 1, true), e.read(config))
	e.wait('and the prompt is answered', function()
		return vim.iter(e.messages):any(function(m) return m:find('Hello, I work now.', 1, true) end)
	end, function() return e.messages end)
	e.check('no model is offered any more', not e.offered(e.offers(), 'Agent: use the model'))
	e.stop()
end
