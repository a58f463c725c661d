// The real sidecar with a scripted model, spoken to as the extension does: a marker client
// that answers questions with agent/approve.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Serves a script of the model; its base URL. */
export async function model(program, script) {
  const child = spawn(program, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const url = await new Promise((yes, no) => {
    child.stdout.once('data', (b) => yes(String(b).trim()));
    child.once('exit', (code) => no(new Error(`the scripted model ended with ${code}`)));
  });
  return { url, end: () => new Promise((done) => { child.removeAllListeners('exit'); child.once('exit', done); child.stdin.end(); }) };
}

export class Sidecar {
  #child;
  #open = new Map();
  #next = 1;
  #buffer = Buffer.alloc(0);
  /** Told each agent/event. */
  event = () => {};

  constructor(program, { home, workspace, config, modelUrl }) {
    mkdirSync(join(home, '.agent-sidecar'), { recursive: true });
    mkdirSync(workspace, { recursive: true });
    this.workspace = workspace;
    writeFileSync(join(home, '.agent-sidecar/autoallow'), 'off\n'); // commands ask on every machine
    writeFileSync(join(home, '.agent-sidecar/config.jsonc'), JSON.stringify(config ?? {}));
    this.#child = spawn(program, ['serve', '--home', join(home, '.agent-sidecar')], { cwd: workspace, stdio: ['pipe', 'pipe', 'ignore'], env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: 'none', OPENAI_MODEL: 'scripted' } });
    this.#child.stdout.on('data', (b) => this.#read(b));
  }

  async start() {
    const uri = pathToFileURL(this.workspace).href;
    const r = await this.request('initialize', {
      processId: process.pid, clientInfo: { name: 'page' }, locale: 'en', rootUri: uri, workspaceFolders: [{ uri, name: 'workspace' }],
      capabilities: { experimental: { agentSidecar: { versions: [1], events: {}, approvals: {} } } }, initializationOptions: { agentSidecar: { trusted: true } },
    });
    this.#send({ method: 'initialized', params: {} });
    this.capabilities = r.capabilities.experimental.agentSidecar;
  }

  request(method, params) {
    const id = this.#next++;
    this.#send({ id, method, params });
    return new Promise((yes, no) => this.#open.set(id, { yes, no }));
  }

  /** As a crash: no word before it. */
  kill() {
    return new Promise((done) => { this.#child.once('exit', done); this.#child.kill('SIGKILL'); });
  }

  async end() {
    const gone = new Promise((done) => this.#child.once('exit', done));
    await this.request('shutdown', null);
    this.#send({ method: 'exit' });
    await gone;
  }

  #send(m) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...m }));
    this.#child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.#child.stdin.write(body);
  }

  #read(bytes) {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    for (;;) {
      const head = this.#buffer.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/.exec(this.#buffer.subarray(0, head).toString())[1]);
      if (this.#buffer.length < head + 4 + length) return;
      const m = JSON.parse(this.#buffer.subarray(head + 4, head + 4 + length).toString());
      this.#buffer = this.#buffer.subarray(head + 4 + length);
      this.#hear(m);
    }
  }

  #hear(m) {
    if (m.method === 'agent/event') return this.event(m.params);
    if (m.method && m.id !== undefined) return this.#send({ id: m.id, error: { code: -32601, message: 'no' } });
    const waiting = this.#open.get(m.id);
    if (!waiting) return;
    this.#open.delete(m.id);
    if (m.error) waiting.no(Object.assign(new Error(m.error.message), { data: m.error.data }));
    else waiting.yes(m.result);
  }
}
