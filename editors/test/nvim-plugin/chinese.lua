-- A person whose environment is Chinese: what the plugin says is, and so is what the sidecar offers beside it.
return function(e)
  e.begin()
  e.attached()
  e.check('the commands are described in Chinese', vim.api.nvim_get_commands({}).AgentStop.definition:find('停止本次运行', 1, true), vim.api.nvim_get_commands({}).AgentStop.definition)
  vim.cmd('AgentChat')
  e.check('a message is Chinese', e.told[#e.told] and e.told[#e.told]:find('还没有会话', 1, true), e.told)

  vim.cmd('Agent 修改这个文件。')
  e.wait_chat('┃ 等待你的批准 · 运行命令')
  e.check('the status line is Chinese', require('agent-sidecar').statusline():find('代理：等待你的批准', 1, true), require('agent-sidecar').statusline())
  local offers = e.offers()
  e.check('the code actions speak the same language', e.offered(offers, '允许一次：', 'printf'), e.titles(offers))
  local id = e.question('bash').approvalId
  vim.cmd('AgentApprove ' .. id)
  e.wait('the review is on the screen', function() return e.reviews()[1] and e.review_in(e.reviews()[1]) == id end)
  local bar = vim.b[vim.api.nvim_win_get_buf(e.reviews()[1])].agent_sidecar_bar
  e.check('its bar is Chinese', bar == ' ga 回答 · q 关闭 · 运行命令', bar)
  e.want = { '允许一次' }
  vim.cmd('AgentApprove ' .. id)
  e.wait('the file is changed on disk', function() return e.read(e.note()) == 'changed\n' end, function() return { e.asked, e.chat() } end)
  e.finished(1)
  local asked = e.asked[#e.asked]
  e.check('the question and its answers were Chinese', vim.startswith(asked.prompt, '代理：') and vim.deep_equal({ asked.labels[1], asked.labels[2] }, { '审阅', '拒绝' }), asked)
  e.check('the answer and the end are', e.shows('┃ 已允许一次：bash:') and e.shows('— 完成 · 1 个文件'), e.chat())

  e.want = { '撤销 1 个文件' }
  vim.cmd('AgentUndo')
  e.wait('the file is as it was', function() return e.read(e.note()) == 'as it was\n' end, function() return e.asked end)
  e.wait_chat('已撤销：1 个文件：note.txt')

  vim.cmd('checkhealth agent-sidecar')
  local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  e.check(':checkhealth is', health:find('已调用 setup()', 1, true) and health:find('正在运行，协议 1', 1, true), health)
end
