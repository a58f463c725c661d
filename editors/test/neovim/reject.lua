-- A person says no by code action: to trust, and to a command. The agent is told so and goes on.
local command = 'echo changed > note.txt'

return function(e)
	local root = vim.fn.getcwd()
	local function untouched() return e.read(e.note()) == 'as it was\n' end
	e.start(e.note(), root)
	e.run('Change the note.')
	e.wait('trust and the command are asked about', function() return #e.questions == 2 and #e.pending() == 2 end, e.pending)

	e.act('Not now: ')
	e.check('only the command is open', #e.pending() == 1 and e.question_of('bash'), e.pending())
	local config = e.read(vim.env.HOME .. '/.agent-sidecar/config.jsonc') or ''
	e.check('the folder is not trusted', not config:find(root, 1, true), config)

	e.stays('the command has not run', untouched)
	e.act('Reject: ', command)
	e.ended(1)
	e.check('nothing is open', #e.pending() == 0, e.pending())
	e.wait('the run went on behind the no', function() return (e.messages[#e.messages] or ''):find('I leave the note as it was.', 1, true) end, function() return e.messages end)
	e.check('the file is as it was', untouched())

	-- A no by its command, without an id: the only open question is meant.
	e.run('Try again.')
	e.wait('the command is asked about again', function() return e.question_of('bash') end, e.pending)
	e.check('trust is not asked about again', #e.pending() == 1, e.pending())
	local refused = e.command('approve', 'nobody', 'once')
	e.check('an answer to another question does nothing', not refused.err and refused.result.status == 'not_found', refused)
	local odd = e.command('approve', { decision = 'yes' })
	e.check('an unknown word is no answer', odd.err and odd.err.code == -32602 and e.question_of('bash'), odd)
	local no = e.command('reject')
	e.check('the command agent-sidecar.reject is applied', no.result and no.result.status == 'applied', no)
	e.ended(2)
	e.check('the file is still as it was', untouched())
	e.stop()
end
