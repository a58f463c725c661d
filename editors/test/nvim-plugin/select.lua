-- Questions through vim.ui.select: a review first where the whole does not fit, a no with a reason, a lasting yes whose rule was
-- shown, and full access after a yes of its own.
return function(e)
  local config = vim.env.HOME .. '/.agent-sidecar/config.jsonc'
  -- What narrows acts at once, also where an editor says it.
  local rules = { { domain = 'edit', pattern = 'new.txt', decision = 'ask' } }
  e.begin({ approvals = { popup = true, idle_ms = 0 }, settings = { agents = { runtime = { permission = { rules = rules } } } } })
  e.attached()
  e.want = { 'Always', 'Review', 'Reject with a reason…', 'not like that' }
  vim.cmd('Agent Write a file.')
  e.wait('trust is asked about and answered for good', function() return (e.read(config) or ''):find(vim.fn.getcwd(), 1, true) end, function() return e.asked end)
  local trust = e.asked_with('trust')
  e.check('the question of trust begins with no yes', trust and trust.labels[1] == 'Review' and trust.labels[2] == 'Reject', trust)
  e.wait_chat('Do you trust')
  e.check('it offers no "once"', trust and not vim.tbl_contains(trust.labels, 'Allow once'), trust)

  e.wait('the file is asked about', function() return e.asked_with('new.txt') end, function() return e.asked end)
  e.wait('it is rejected with the reason', function() return #e.want == 0 end, function() return { e.want, e.asked } end)
  local first, second
  for _, question in ipairs(e.asked) do
    if question.prompt:find('new.txt', 1, true) then
      if first then second = second or question else first = question end
    end
  end
  e.check('before the review of an edit there is no yes', first and not vim.iter(first.labels):any(function(l) return l:find('^A') end), first)
  e.check('behind it there is one', second and vim.tbl_contains(second.labels, 'Allow once'), second)
  e.check('the file was not written', e.read('new.txt') == nil)

  e.want = {}
  e.wait('the command is asked about', function() return e.question('bash') end, function() return e.asked end)
  e.wait_chat('not like that')
  e.check('the review is closed when its question is', not vim.iter(vim.api.nvim_list_wins()):any(function(w) return vim.w[w].agent_sidecar_review end))
  e.wait('it pops up, and is dismissed', function() return e.asked_with('ran.txt') end)
  e.stays('dismissed, it has not run', function() return e.read('ran.txt') == nil end)
  e.check('dismissed, it is still open', e.question('bash') ~= nil)

  local count = #e.asked
  e.want = { 'Always' }
  vim.cmd('AgentApprove')
  e.wait('it runs after a lasting yes', function() return e.read('ran.txt') == 'ran\n' end, function() return e.asked[#e.asked] end)
  local asked = e.asked[count + 1]
  e.check('the rule was shown whole', asked and vim.iter(asked.labels):any(function(l) return l:find('Always', 1, true) and l:find(': echo ran', 1, true) end), asked)
  e.wait('and is in the configuration', function() return (e.read(config) or ''):find('echo ran', 1, true) end)

  e.wait('the second command is asked about', function() return e.question('bash') and e.question('bash').title:find('touch', 1, true) end)
  e.want = { 'Allow once' }
  vim.cmd('AgentApprove')
  e.finished(1)
  e.check('both have run', e.read('second.txt') == '', e.read('second.txt'))

  -- Full access.
  count = #e.asked
  vim.cmd('AgentMode full_access')
  e.check('full access asks, and its first word is no yes', e.asked[count + 1] and e.asked[count + 1].labels[1] == 'Cancel', e.asked[count + 1])
  e.stays('dismissed, nothing has changed', function() return e.conversation().transcript.session.mode ~= 'full_access' end)
  e.want = { 'Full access' }
  vim.cmd('AgentMode full_access')
  e.wait('after a yes the bar says it', function() return require('agent-sidecar.status').bar(e.conversation().view.buf):find('FULL ACCESS', 1, true) end)
  vim.cmd('Agent Again.')
  e.finished(2)
  e.check('in full access nothing was asked', e.read('free.txt') == 'free\n' and not e.asked_with('free.txt'), e.asked)
  vim.cmd('AgentMode agent')
  e.wait('and back', function() return e.conversation().transcript.session.mode == 'agent' end)

  e.check('modes, agents and models are completed', vim.deep_equal(vim.fn.getcompletion('AgentMode f', 'cmdline'), { 'full_access' }) or vim.tbl_contains(vim.fn.getcompletion('AgentMode ', 'cmdline'), 'full_access'))
  e.check('an agent is completed', vim.tbl_contains(vim.fn.getcompletion('AgentAgent p', 'cmdline'), 'plan'), vim.fn.getcompletion('AgentAgent ', 'cmdline'))
  vim.cmd('AgentAgent plan')
  e.wait('the agent is changed', function() return e.conversation().transcript.session.agent == 'plan' end, function() return e.told end)
  e.check('a model is completed', #vim.fn.getcompletion('AgentModel ', 'cmdline') > 0, e.project():capabilities())
end
