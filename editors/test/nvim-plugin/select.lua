-- Questions through vim.ui.select: a review first where the whole does not fit, a no with a reason, a lasting yes whose rule was
-- shown, and full access after a yes of its own.
return function(e)
  local config = vim.env.HOME .. '/.agent-sidecar/config.jsonc'
  -- What narrows acts at once, also where an editor says it.
  local rules = { { domain = 'edit', pattern = 'new.txt', decision = 'ask' } }
  e.begin({ approvals = { popup = true, idle_ms = 0 }, settings = { agents = { runtime = { permission = { rules = rules } } } } })
  e.attached()
  vim.cmd('Agent Write a file.')
  local function bar() return vim.api.nvim_eval_statusline(vim.wo[e.reviews()[1]].winbar, { winid = e.reviews()[1], use_winbar = true }).str end
  e.wait('the question of trust is shown', function() return #e.reviews() == 1 and e.question('config') end, function() return e.told end)
  e.check('the cursor stays in the file', vim.api.nvim_buf_get_name(0) == e.note(), vim.api.nvim_buf_get_name(0))
  e.check('no list of answers takes the keys', #e.asked == 0, e.asked)
  e.check('the bar over it says how to answer', bar():find('ga answers · q closes', 1, true), bar())
  e.answer_review('config', 'Trust this folder')
  e.wait('trust is answered for good', function() return (e.read(config) or ''):find(vim.fn.getcwd(), 1, true) end, function() return e.asked end)
  local trust = e.asked_with('trust')
  e.check('the question of trust begins with no yes', trust and trust.labels[1] == 'Not now', trust)
  e.wait_chat('Do you trust')
  e.check('it offers no "once"', trust and not vim.tbl_contains(trust.labels, 'Allow once'), trust)

  -- The review of an edit is on the screen before there is a yes, and is still there with the list of answers.
  e.wait('the file is reviewed when the question before is answered', function() return #e.reviews() == 2 and e.question('edit') end, function() return { e.asked, e.told } end)
  e.check('and the cursor stays in the file', vim.api.nvim_buf_get_name(0) == e.note(), vim.api.nvim_buf_get_name(0))
  vim.api.nvim_set_current_win(e.reviews()[1])
  e.keys('q')
  e.check('q closes both sides', #e.reviews() == 0)
  e.stays('that is no answer, and it does not come back by itself', function() return e.question('edit') and #e.reviews() == 0 end)
  vim.cmd('AgentApprove')
  e.wait(':AgentApprove shows it first', function() return #e.reviews() == 2 end)
  e.check('and asks nothing yet', not e.asked_with('new.txt'), e.asked)
  e.check('the cursor is in the review', vim.b.agent_sidecar_review ~= nil)
  e.want = { 'Reject with a reason…', 'not like that' }
  e.keys('ga')
  local first = e.asked_with('new.txt')
  e.check('there ga asks, with a yes behind the first', first and first.labels[1] == 'Review' and vim.tbl_contains(first.labels, 'Allow once'), first)
  e.check('what is allowed is still on the screen', #e.reviews() == 2)
  e.wait('it is rejected with the reason', function() return #e.want == 0 end, function() return { e.want, e.asked } end)
  e.check('the file was not written', e.read('new.txt') == nil)

  e.want = {}
  e.wait('the command is asked about', function() return e.question('bash') end, function() return e.asked end)
  e.wait_chat('not like that')
  e.wait('the review is closed when its question is, and the next is shown', function() return #e.reviews() == 1 and e.review_in(e.reviews()[1]) == e.question('bash').approvalId end)
  vim.cmd('AgentApprove')
  e.check('it is asked about', e.asked_with('ran.txt'), e.asked)
  e.stays('dismissed, it has not run', function() return e.read('ran.txt') == nil end)
  e.check('dismissed, it is still open', e.question('bash') ~= nil)
  vim.cmd('AgentApprove nothing')
  e.check('an id that no question has answers none', e.told[#e.told]:find('no such pending approval', 1, true), e.told)

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
  vim.cmd('AgentMode ask')
  e.wait('and back', function() return e.conversation().transcript.session.mode == 'ask' end)
  local function barred(word) return require('agent-sidecar.status').bar(e.conversation().view.buf):find(word, 1, true) end
  e.check('the bar says what it asks', barred('Ask') and not barred('FULL ACCESS'), require('agent-sidecar.status').bar(e.conversation().view.buf))
  e.want = { 'Plan' }
  vim.cmd('AgentMode')
  e.wait('the list has the four, and the bar the chosen one', function() return barred('Plan') end, function() return e.asked[#e.asked] end)

  e.check('modes are completed', vim.deep_equal(vim.fn.getcompletion('AgentMode ', 'cmdline'), { 'ask', 'edit', 'plan', 'full_access' }), vim.fn.getcompletion('AgentMode ', 'cmdline'))
  e.check('an agent is completed', vim.tbl_contains(vim.fn.getcompletion('AgentAgent p', 'cmdline'), 'plan'), vim.fn.getcompletion('AgentAgent ', 'cmdline'))
  vim.cmd('AgentAgent build')
  e.wait('the agent is changed', function() return e.conversation().transcript.session.agent == 'build' end, function() return e.told end)
  e.check('a model is completed', #vim.fn.getcompletion('AgentModel ', 'cmdline') > 0, e.project():capabilities())
end
