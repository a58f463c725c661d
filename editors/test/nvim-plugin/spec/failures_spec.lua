local config = require('agent-sidecar.config')
local lines = require('agent-sidecar.lines')
local prompt = require('agent-sidecar.prompt')
local Transcript = require('agent-sidecar.transcript')

local function ended(data)
  local block = { kind = 'ended', depth = 0, data = data }
  local text = lines.of(block)
  local levels = {}
  for offset = 0, #text - 1 do levels[#levels + 1] = lines.fold(block, offset) end
  return text, levels
end

describe('a run that failed', function()
  before_each(function() config.set({}) end)

  it('says its cause first, then what to do, and folds the rest', function()
    local text, levels = ended({ stopReason = 'error', usage = { inputTokens = 10, outputTokens = 0 }, error = { kind = 'model_auth', message = 'Incorrect API key provided.', detail = 'POST http://127.0.0.1:1/v1/chat/completions\nstatus 401' } })
    assert.same({
      '— failed: Incorrect API key provided. · 10 in, 0 out',
      '  :AgentKey takes another key',
      '  :AgentModel chooses another model',
      '  gR or :AgentRetry runs the prompt again',
      '▸ details',
      '│ POST http://127.0.0.1:1/v1/chat/completions',
      '│ status 401',
    }, text)
    assert.same({ 0, 0, 0, 0, '>1', 1, 1 }, levels)
  end)

  it('has no details where there are none', function()
    local text = ended({ stopReason = 'error', error = { kind = 'internal', message = 'It broke.' } })
    assert.same({ '— failed: It broke.', '  gR or :AgentRetry runs the prompt again' }, text)
  end)

  it('without a model says how to get one here, and no name of an error', function()
    local text = table.concat((ended({ stopReason = 'error', usage = { inputTokens = 0, outputTokens = 0 }, error = { kind = 'model_not_set', message = 'No model is set up yet.', detail = 'GROQ_API_KEY is set.' } })), '\n')
    assert.truthy(text:find('^— failed: No model is set up yet.\n'), text)
    for _, word in ipairs({ ':AgentModel', ':AgentKey', ':AgentServer', ':AgentRetry' }) do assert.truthy(text:find(word, 1, true), word) end
    assert.is_nil(text:find('model_not_set', 1, true), text)
    assert.truthy(text:find('│ GROQ_API_KEY is set.', 1, true), text)
  end)

  it('says what each model of a chain has said', function()
    local text = table.concat((ended({ stopReason = 'error', error = { kind = 'MODEL_UNAVAILABLE', message = 'No model could answer.', attempts = { { model = 'a/b', message = 'is down' }, { model = 'c/d', message = 'refuses' } } } })), '\n')
    assert.truthy(text:find('▸ details\n│ a/b: is down\n│ c/d: refuses', 1, true), text)
    assert.is_nil(text:find('MODEL_UNAVAILABLE', 1, true), text)
  end)

  it('is refused with the words of the provider', function()
    local text = ended({ stopReason = 'refusal', message = 'The answer was blocked.' })
    assert.equal('— the model refused: The answer was blocked.', text[1])
    assert.equal('  :AgentModel chooses another model', text[2])
  end)

  it('that was stopped at a limit says it once', function()
    assert.same({ '— Stopped: 10 turns were made.' }, (ended({ stopReason = 'max_turns', message = 'Stopped: 10 turns were made.' })))
  end)

  it('is run again, and not as one that was interrupted', function()
    local t = Transcript.new()
    local function take(seq, type, data) t:apply({ seq = seq, runId = 'r' .. seq, type = type, data = data }) end
    take(1, 'run.started', { prompt = { { type = 'text', text = 'Do it.' } } })
    take(2, 'run.ended', { stopReason = 'error', error = { kind = 'internal', message = 'x' } })
    take(3, 'run.started', { kind = 'continuation', prompt = {} })
    assert.equal('Running it again.', t.last.data.text)
  end)
end)

describe('a prompt', function()
  local told, asked
  local function project(err)
    told, asked = {}, {}
    return {
      root = '/prompt' .. vim.uv.hrtime(), tell = function(text) told[#told + 1] = text end, here_conversation = function() end, client = function() end,
      ask = function(_, method, params, _, failed)
        asked[#asked + 1] = { method, params }
        failed(err)
      end,
    }
  end
  before_each(function() config.set({}) end)

  it('that was not taken is kept', function()
    local p = project({ message = 'it is not running' })
    prompt.send(p, 'Do this.\nAnd that.')
    assert.same({ 'Do this.', 'And that.' }, vim.api.nvim_buf_get_lines(prompt.buffer(p), 0, -1, false))
    assert.same({ 'it is not running (your prompt is kept: :Agent shows it)' }, told)
  end)

  it('that was not taken does not replace one that is being written', function()
    local p = project({ message = 'no' })
    vim.api.nvim_buf_set_lines(prompt.buffer(p), 0, -1, false, { 'my draft' })
    prompt.send(p, 'Do this.')
    assert.same({ 'my draft' }, vim.api.nvim_buf_get_lines(prompt.buffer(p), 0, -1, false))
    assert.same({ 'no' }, told)
  end)

  it('is run again by the sidecar, and nothing to run is said plainly', function()
    local p = project({ message = 'params.retry: nothing', data = { field = 'retry' } })
    prompt.retry({ id = '0001', project = p, transcript = { live = false } })
    assert.same({ { 'agent/run', { sessionId = '0001', retry = true } } }, asked)
    assert.same({ 'there is nothing to run again: the last prompt did not fail' }, told)
    prompt.retry({ id = '0001', project = p, transcript = { live = true } })
    assert.equal(1, #asked)
  end)
end)

describe('the end of a run', function()
  before_each(function() config.set({}) end)

  it('says what it has cost, and whether that was computed', function()
    local usage = { inputTokens = 2000, outputTokens = 50, cachedTokens = 1500, cost = { amount = 0.0018, currency = 'USD', estimated = true } }
    assert.same({ '— done · 2k in, 50 out · 75 % cached · ~0.0018 USD' }, (ended({ stopReason = 'end_turn', usage = usage })))
    usage.cost.estimated, usage.cachedTokens = nil, 0
    assert.same({ '— done · 2k in, 50 out · 0.0018 USD' }, (ended({ stopReason = 'end_turn', usage = usage })))
    usage.cost = nil
    assert.same({ '— done · 2k in, 50 out' }, (ended({ stopReason = 'end_turn', usage = usage })))
  end)
end)
