-- The main job from end to end, by commands and code actions: a prompt that stands in a line of the file, a review, a yes, a changed
-- file, an artifact, an exploration, an undo, and a no.
local before = 'as it was\n'

-- shown is a loaded buffer that holds a text, as it is on the disk.
local function shown(text)
	for _, b in ipairs(vim.api.nvim_list_bufs()) do
		if vim.api.nvim_buf_is_loaded(b) and table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), '\n'):find(text, 1, true) then return b end
	end
end

return function(e)
	local function note(text)
		return function() return e.read(e.note()) == text end
	end
	vim.o.autoread = true
	e.start(e.note(), vim.fn.getcwd())
	local buffer = vim.api.nvim_get_current_buf()
	local function back() vim.api.nvim_set_current_buf(buffer) end -- a document may have been opened

	-- Neovim shows the line that holds a prompt, and nothing of it on the disk.
	vim.api.nvim_buf_set_lines(0, 1, 1, false, { '@agent Change the note.' })
	vim.wait(30000, function() return (e.read(vim.env.LOGS .. '/to-sidecar') or ''):find('@agent', 1, true) end, 5)
	local at = { line = 1, character = 0 }
	local answer = e.request('textDocument/codeAction', { textDocument = { uri = vim.uri_from_bufnr(0) }, range = { start = at, ['end'] = at }, context = { diagnostics = {}, triggerKind = 1 } })
	local prompt = e.offered(answer.result or {}, 'Agent: “Change the note.”')
	e.check('the line of the file is a prompt', prompt, answer)
	vim.cmd('undo')
	vim.bo.modified = false
	vim.wait(30000, function() return not (e.request('textDocument/codeAction', { textDocument = { uri = vim.uri_from_bufnr(0) }, range = { start = at, ['end'] = at }, context = { diagnostics = {}, triggerKind = 1 } }).result or {})[1] end, 20)
	local ran = e.request('workspace/executeCommand', { command = prompt.command.command, arguments = prompt.command.arguments })
	e.check('its code action starts the run', ran.result and ran.result.disposition == 'started', ran)

	e.wait('trust and the edit are asked about', function() return e.question_of('config') and e.question_of('edit') end, e.pending)
	e.stays('nothing has run', note(before))
	e.act('Not now: ')
	back()
	e.check('an edit that was not seen is not to be allowed', not e.offered(e.offers(), 'Allow once: edit'), e.titles(e.offers()))
	e.command('reviewDiff', e.question_of('edit').approvalId)
	e.wait('the review is shown', function() return shown('+as it is') end, function() return vim.fn.execute('ls!') end)
	back()
	e.wait('seen, it can be allowed', function() return e.offered(e.offers(), 'Allow once: edit') end, function() return e.titles(e.offers()) end)
	e.act('Allow once: edit')
	e.wait('the file is changed on disk', note('as it is\n'), function() return e.read(e.note()) end)
	e.wait('the command is asked about', function() return e.question_of('bash') end, e.pending)
	back()
	e.act('Allow once: seq 1 20000')
	e.wait('the last word of the agent is shown', function() return (e.messages[#e.messages] or ''):find('changed and explored.', 1, true) end, function() return e.messages end)

	e.command('openArtifact')
	e.wait('the artifact is shown, all of it', function() return shown('\n19999\n20000') end, function() return vim.fn.execute('ls!') end)
	local transcript = e.command('openTranscript').result
	local text = e.read(transcript and transcript.path or '') or ''
	e.check('the transcript has the sub-agent, and that the output was truncated', text:find('explore#1', 1, true) and text:find('truncated', 1, true), text)

	e.command('undo')
	e.wait('the file is as it was', note(before), function() return e.read(e.note()) end)
	e.wait('the person is told so', function() return vim.tbl_contains(e.messages, 'Agent: 1 file is as it was before.') end, function() return e.messages end)

	back()
	e.run('Once more.')
	e.wait('the command is asked about again', function() return e.question_of('bash') end, e.pending)
	e.act('Reject: ', 'echo changed')
	e.wait('the agent goes on behind the no', function() return (e.messages[#e.messages] or ''):find('I leave it as it was.', 1, true) end, function() return e.messages end)
	e.check('the file is untouched', note(before)())
	e.stop()
end
