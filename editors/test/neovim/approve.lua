-- The main job: a prompt, a question, a yes by code action, a changed file. The workspace was never trusted and nobody says that
-- it is: the run goes on without.
local command = "printf 'changed\\n' > note.txt"

return function(e)
	local function untouched() return e.read(e.note()) == 'as it was\n' end
	e.start(e.note(), vim.fn.getcwd())
	local server = e.client.server_capabilities
	e.check('the command agent-sidecar.run is offered', vim.tbl_contains(server.executeCommandProvider.commands, 'agent-sidecar.run'), server.executeCommandProvider)
	e.run('Change the note.')

	e.wait('LspProgress begins and can be cancelled', function()
		local p = e.last('begin')
		return p and p.title:find('Change the note.', 1, true) and p.cancellable
	end, function() return e.progress end)

	-- Two questions, one message request after the other; both are dismissed.
	e.wait('trust and the command are asked about', function() return #e.questions == 2 end, function() return e.questions end)
	for _, q in ipairs(e.questions) do
		e.check('the first item of a question is no yes', q.items[1] == 'Review' and q.items[2] == 'Reject' or q.items[1] == 'Not now', q)
	end
	e.stays('dismissed, the command has not run', untouched)
	e.check('dismissed, both questions are open', e.question_of('config') and e.question_of('bash'), e.pending())
	e.stays('dismissed, nobody asks again', function() return #e.questions == 2 end, function() return e.questions end)
	e.wait('LspProgress reports that it waits for a person', function()
		local p = e.last('report')
		return p and p.message:find('waiting for you', 1, true)
	end, function() return e.progress end)

	local offers = e.offers()
	e.check('"Allow once" shows the whole command', e.offered(offers, 'Allow once: ' .. command), e.titles(offers))
	e.check('an untrusted workspace is offered no "always" for the command', not e.offered(offers, 'Always', 'printf'), e.titles(offers))
	local plain = true
	for _, a in ipairs(offers) do
		plain = plain and not a.isPreferred and not a.edit and vim.startswith(a.kind, 'agent.') and a.command.command ~= nil
	end
	e.check('every action is a command of kind agent, none is preferred', plain, offers)
	e.check('looking at the actions ran nothing', untouched())

	e.act('Allow once: ', command)
	e.wait('the file is changed on disk', function() return e.read(e.note()) == 'changed\n' end, function() return e.read(e.note()) end)
	e.ended(1)
	e.wait('LspProgress ends', function() return e.last('end') end, function() return e.progress end)
	e.check('each progress has one begin and one end', #vim.tbl_filter(function(p) return p.kind == 'begin' end, e.progress) == 1 and e.progress[#e.progress].kind == 'end', e.progress)
	e.wait('the last word of the agent is shown', function() return (e.messages[#e.messages] or ''):find('The note is changed.', 1, true) end, function() return e.messages end)
	e.check('the command is offered no more', not e.offered(e.offers(), 'Allow once: ' .. command))
	e.stop()
end
