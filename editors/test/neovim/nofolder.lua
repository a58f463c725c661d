-- A single file and no folder: there is nothing to trust, and a conversation works.
return function(e)
	e.start(e.elsewhere(), nil)
	e.check('no folder was sent', not (e.client.config.root_dir or e.client.root_dir), e.client.root_dir)
	e.run('Say hello.')
	e.ended(1)
	e.check('nobody is asked about trust', #e.questions == 0 and #e.pending() == 0, e.pending())
	e.wait('the agent answered', function() return (e.messages[#e.messages] or ''):find('Hello without a folder.', 1, true) end, function() return e.messages end)
	e.check('nothing is offered', #e.offers() == 0, e.titles(e.offers()))
	e.stop()
end
