-- A command of several lines: a message of one line shows no yes before the whole was shown. And an output that was too long for
-- the conversation, opened in the editor.
return function(e)
	local answers = { 'Not now', 'Review', 'Allow once' } -- to trust, to the command, and to the command once more
	function e.choose(items)
		local want = table.remove(answers, 1)
		for _, item in ipairs(items) do
			if (item.title or item) == want then return item end
		end
	end
	local function buffer_with(text)
		for _, b in ipairs(vim.api.nvim_list_bufs()) do
			if table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), '\n'):find(text, 1, true) then return b end
		end
	end
	e.start(e.note(), vim.fn.getcwd())
	e.run('Count.')
	e.wait('three questions came', function() return #e.questions == 3 end, function() return e.questions end)
	e.check('the first time there is no yes', e.questions[2] and vim.deep_equal(e.questions[2].items, { 'Review', 'Reject' }), e.questions[2])
	e.check('behind the review there is one', e.questions[3] and vim.tbl_contains(e.questions[3].items, 'Allow once'), e.questions[3])
	e.wait('the review was opened in the editor', function() return buffer_with('seq 1 20000') end, function() return vim.fn.execute('ls!') end)
	e.wait('the yes ran the command', function() return e.read(e.note()) == 'counted\n' end)
	e.ended(1)

	local transcript = e.command('openTranscript')
	e.check('the transcript is opened', transcript.result and transcript.result.path, transcript)
	e.wait('it says that the output was truncated and links the whole', function()
		local b = buffer_with('Open full output')
		return b and buffer_with('truncated') == b
	end, function() return e.read(transcript.result and transcript.result.path or '') end)

	local list = e.request('agent/artifact/list', { sessionId = '0001' })
	local artifact = list.result and list.result.items[1] or {}
	local opened = e.command('openArtifact', artifact.artifactId)
	e.check('the artifact is opened', opened.result and opened.result.path, { list, opened })
	e.wait('it holds every line', function() return buffer_with('\n19999\n20000') end, function() return vim.fn.execute('ls!') end)
	e.stop()
end
