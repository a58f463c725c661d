-- The person in front of Neovim: what a scenario does and looks at. It uses what Neovim brings and no plugin, so a scenario is
-- also how anybody can use the sidecar from a configuration of a few lines.
local M = {
	progress = {}, -- LspProgress: {kind, token, title, message}
	questions = {}, -- what came through vim.ui.select: {message, items}
	answers = {}, -- of commands that a code action ran: {err, result}
	messages = {}, -- window/showMessage
	exited = nil, -- {code, signal} of the sidecar
	choose = function() end, -- answers a question; nil dismisses it
}

local new = vim.fn.has('nvim-0.11') == 1 -- methods of a client take the client

function M.note() return vim.fn.getcwd() .. '/note.txt' end

function M.elsewhere() return vim.fn.fnamemodify(vim.fn.getcwd(), ':h') .. '/elsewhere/other.txt' end

function M.read(path)
	local file = io.open(path, 'rb')
	if not file then return nil end
	local text = file:read('*a')
	file:close()
	return text
end

local function line(value) return (type(value) == 'string' and value or vim.inspect(value)):gsub('%s+', ' ') end

-- check writes one line that counts; extra is said where it failed.
function M.check(what, ok, extra)
	io.stdout:write(ok and 'ok   ' or 'FAIL ', what, (ok or extra == nil) and '' or ' -- ' .. line(extra):sub(1, 600), '\n')
	io.stdout:flush()
	return ok
end

local patience = 30000 -- ms; it only matters where something fails, or the machine stands still for a while

-- wait is a check of something that becomes true.
function M.wait(what, is, extra)
	local ok = vim.wait(patience, is, 5)
	return M.check(what, ok, not ok and extra and extra() or nil)
end

-- stays is a check of something that is not to happen.
function M.stays(what, is, extra)
	local broken = vim.wait(400, function() return not is() end, 5)
	return M.check(what, not broken, broken and extra and extra() or nil)
end

-- watch takes what comes to a person: questions and progress.
local function watch()
	vim.ui.select = function(items, opts, answer)
		table.insert(M.questions, { message = opts.prompt, items = vim.tbl_map(function(i) return i.title or i end, items) })
		answer(M.choose(items))
	end
	vim.api.nvim_create_autocmd('LspProgress', {
		callback = function(event)
			local p = event.data.params
			table.insert(M.progress, { kind = p.value.kind, token = p.token, title = p.value.title, message = p.value.message, cancellable = p.value.cancellable })
		end,
	})
end

local function attached(id)
	M.wait('it is initialized', function()
		local client = vim.lsp.get_client_by_id(id)
		return client and client.initialized and vim.lsp.buf_is_attached(0, id)
	end)
	M.client = vim.lsp.get_client_by_id(id)
end

-- start opens a file and starts the sidecar for a folder, nil for none.
function M.start(file, root)
	watch()
	vim.cmd.edit(file)
	local id = vim.lsp.start({
		name = 'agent-sidecar',
		cmd = { 'agent-sidecar', 'serve' },
		root_dir = root,
		handlers = {
			['workspace/executeCommand'] = function(err, result) table.insert(M.answers, { err = err, result = result }) end,
			['window/showMessage'] = function(_, result) table.insert(M.messages, result.message) end,
		},
		on_exit = function(code, signal) M.exited = { code = code, signal = signal } end,
	})
	if not M.check('vim.lsp.start starts it', id ~= nil) then error('there is no client') end
	attached(id)
end

-- configure runs a text of Lua as a person's init.lua, opens a file and waits for the client that this starts.
function M.configure(lua, file)
	watch()
	assert(loadstring(lua, 'init.lua'))()
	vim.cmd.edit(file)
	local clients
	M.wait('the configuration starts it', function()
		clients = vim.lsp.get_clients({ name = 'agent-sidecar' })
		return #clients == 1
	end)
	attached(clients[1].id)
end

-- request waits for the answer: {err, result}.
function M.request(method, params)
	local answer
	local function take(err, result) answer = { err = err, result = result } end
	if new then
		M.client:request(method, params, take, 0)
	else
		M.client.request(method, params, take, 0)
	end
	vim.wait(patience, function() return answer end, 2)
	return answer or { err = 'no answer' }
end

-- command runs one of the sidecar's by name.
function M.command(name, ...) return M.request('workspace/executeCommand', { command = 'agent-sidecar.' .. name, arguments = { ... } }) end

-- finished counts the runs whose end is in the log. A run that was quicker than the editor's answer to a token has no progress.
local function finished()
	local n = 0
	for _, log in ipairs(vim.fn.glob(vim.env.HOME .. '/.agent-sidecar/sessions/**/events.jsonl', true, true)) do
		if not log:find('/sub/', 1, true) then n = n + select(2, (M.read(log) or ''):gsub('"type":"run.ended"', '')) end
	end
	return n
end

-- run prompts the agent. The answer names what it has started: it does not wait for a run that ends only when the person has answered.
function M.run(prompt)
	local answer = M.command('run', prompt)
	M.check('run is answered while the agent works', answer.result and answer.result.runId, answer)
	return answer.result or {}
end

-- pending are the open questions, oldest first.
function M.pending()
	local answer = M.command('approvals')
	return answer.result and answer.result.items or {}
end

function M.question_of(domain)
	for _, q in ipairs(M.pending()) do
		if q.domain == domain then return q end
	end
end

-- offers are the sidecar's code actions for this buffer as they come, invoked by a person unless context says otherwise.
function M.offers(context)
	local at = { line = 0, character = 0 }
	local answer = M.request('textDocument/codeAction', {
		textDocument = { uri = vim.uri_from_bufnr(0) },
		range = { start = at, ['end'] = at },
		context = vim.tbl_extend('force', { diagnostics = {}, triggerKind = 1 }, context or {}),
	})
	if answer.err then M.check('code actions are answered', false, answer.err) end
	return answer.result or {}
end

function M.titles(actions) return vim.tbl_map(function(a) return a.title end, actions) end

-- offered is the action whose title starts so and, where given, holds a text.
function M.offered(actions, start, holds)
	for _, a in ipairs(actions) do
		if vim.startswith(a.title, start) and (not holds or a.title:find(holds, 1, true)) then return a end
	end
end

-- act takes a code action as a person does and waits for what its command answered.
function M.act(start, holds)
	local before, seen = #M.answers, {}
	vim.lsp.buf.code_action({
		apply = true,
		filter = function(a)
			table.insert(seen, a.title)
			return M.offered({ a }, start, holds) ~= nil
		end,
	})
	vim.wait(patience, function() return #M.answers > before end, 5)
	local answer = M.answers[before + 1]
	M.check('the code action "' .. start .. '…" is applied', answer and not answer.err and answer.result and answer.result.status == 'applied', { answer or 'nothing was run', seen })
end

local function last(kind)
	for i = #M.progress, 1, -1 do
		if M.progress[i].kind == kind then return M.progress[i] end
	end
end
M.last = last

-- ended waits for the n-th run of this connection.
function M.ended(n)
	M.wait('run ' .. n .. ' comes to its end', function() return finished() >= n end, function() return M.progress end)
end

-- sent says whether a message of a method went to the sidecar.
function M.sent(method) return (M.read(vim.env.LOGS .. '/to-sidecar') or ''):find('"method":"' .. method .. '"', 1, true) ~= nil end

-- stop ends the client as a person does who stops using it.
function M.stop()
	if new then M.client:stop() else M.client.stop() end
	M.wait('it stops with exit code 0', function() return M.exited and M.exited.code == 0 and M.exited.signal == 0 end, function() return M.exited or 'it runs' end)
	M.check('it was told shutdown and exit', M.sent('shutdown') and M.sent('exit'))
end

-- play runs a scenario and leaves the editor, as :qa! does.
function M.play(scenario)
	local ok, err = xpcall(function() require(scenario)(M) end, debug.traceback)
	if not ok then
		M.check('the scenario runs', false, err)
		vim.cmd.cquit()
	end
	vim.cmd('qa!')
end

return M
