-- Prompts that stand in files: offered as code actions and as a lens where a person asks or looks, and never run by themselves.
return function(e)
	e.start(e.note(), vim.fn.getcwd())
	vim.api.nvim_buf_set_lines(0, 0, -1, false, { '-- @agent say hello to the note', 'text' })
	local title = 'Agent: “say hello to the note”'
	local function take(start)
		local before = #e.answers
		vim.lsp.buf.code_action({ apply = true, filter = function(a) return e.offered({ a }, start) ~= nil end })
		vim.wait(30000, function() return #e.answers > before end, 5)
		local answer = e.answers[before + 1]
		return answer and answer.result and answer.result.runId
	end

	-- Neovim tells of a change a moment later.
	e.wait('a person is offered the line, though it is not saved', function() return e.offered(e.offers(), title) end, function() return e.titles(e.offers()) end)
	e.check('an automatic request is not', #e.offers({ triggerKind = 2 }) == 0, e.titles(e.offers({ triggerKind = 2 })))
	vim.cmd('silent write')
	e.stays('to open, change and save it runs nothing', function() return #e.progress == 0 end, function() return e.progress end)
	vim.api.nvim_win_set_cursor(0, { 1, 0 })
	e.check('the line is run by its code action', take(title), e.answers)
	e.ended(1)

	vim.fn.writefile({ 'Tidy up.' }, 'tidy.prompt.md')
	vim.cmd.edit('tidy.prompt.md')
	vim.lsp.buf_attach_client(0, e.client.id)
	local lenses = e.request('textDocument/codeLens', { textDocument = { uri = vim.uri_from_bufnr(0) } }).result or {}
	e.check('a prompt file has a lens', lenses[1] and lenses[1].command.title == 'Run this prompt', lenses)
	e.check('and a code action, which runs it', take('Agent: run this prompt'), e.answers)
	e.ended(2)
	e.stop()
end
