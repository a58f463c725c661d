// What went between the extension and the sidecar, as sidecar.sh kept it. A restart goes on in the same files.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './checks.mjs';

const header = Buffer.from('Content-Length: ');

/** The messages of a file, oldest first. What a killed process left unfinished is passed over. */
function messages(path) {
  if (!existsSync(path)) return [];
  const bytes = readFileSync(path);
  const found = [];
  for (let at = bytes.indexOf(header); at >= 0; at = bytes.indexOf(header, at)) {
    const body = bytes.indexOf('\r\n\r\n', at);
    const length = parseInt(bytes.toString('latin1', at + header.length, at + header.length + 12), 10);
    if (body < 0 || body + 4 + length > bytes.length) { at += header.length; if (body < 0) break; continue; }
    try { found.push(JSON.parse(bytes.toString('utf8', body + 4, body + 4 + length))); at = body + 4 + length; } catch { at += header.length; }
  }
  return found;
}

export class Wire {
  constructor(logs) { this.logs = logs; }
  /** From the extension. */
  sent(method) { return messages(join(this.logs, 'to-sidecar')).filter((m) => !method || m.method === method); }
  /** From the sidecar. */
  came(method) { return messages(join(this.logs, 'from-sidecar')).filter((m) => !method || m.method === method); }
  /** The events of a type, oldest first. */
  events(type) { return this.came('agent/event').map((m) => m.params).filter((e) => !type || e.type === type); }
  /** Everything, as it was written. */
  text() { return ['to-sidecar', 'from-sidecar'].map((f) => (existsSync(join(this.logs, f)) ? readFileSync(join(this.logs, f), 'utf8') : '')).join('\n'); }

  request(method, fits = () => true, ms) { return until(() => this.sent(method).find((m) => fits(m.params)), `no ${method} on the wire`, ms); }
  event(type, fits = () => true, ms) { return until(() => this.events(type).find(fits), `no event ${type} on the wire`, ms); }
}
