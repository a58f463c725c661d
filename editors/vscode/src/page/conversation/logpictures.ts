// The pictures of a session's log: the log names each by its hash, and the sidecar gives its
// bytes. They are read when a row that shows one is drawn, one after the other, and as many
// are held as a page can bear; the others are shown by their name alone.
import type { Requests } from '../../protocol';
import { dataUrl, mostBytes } from '../pictures';

type Artifact = Requests['agent/artifact'];
type Read = (params: Artifact['params']) => Promise<Artifact['result']>;

/** A multiple of three, so that the base64 of the pieces is that of the whole. */
const piece = 192 * 1024;

/** Of all that are shown of a session, in bytes. */
const mostHeld = 32 * 1024 * 1024;

export class LogPictures {
  private readonly urls = new Map<string, string>();
  private readonly wanting = new Map<string, Set<string>>();
  private held = 0;
  private last: Promise<void> = Promise.resolve();
  private turn = 0;

  /** `came` is told which rows have wanted a picture that is there now. */
  constructor(private readonly read: Read, private readonly came: (rows: Iterable<string>) => void) {}

  /** The picture as a data URL, once it is there; the row is drawn again then. */
  of(sessionId: string, uri: string, row: string): string | undefined {
    const url = this.urls.get(uri);
    if (url !== undefined) return url;
    const rows = this.wanting.get(uri);
    if (rows) rows.add(row);
    else {
      this.wanting.set(uri, new Set([row]));
      const turn = this.turn;
      this.last = this.last.then(() => (turn === this.turn ? this.fetch(sessionId, uri, turn) : undefined)).catch(() => {}); // not readable: it stays a name
    }
    return undefined;
  }

  /** Another session is shown. */
  forget(): void {
    this.turn++;
    this.urls.clear();
    this.wanting.clear();
    this.held = 0;
  }

  private async fetch(sessionId: string, uri: string, turn: number): Promise<void> {
    let data = '';
    for (let offset = 0; ;) {
      const part = await this.read({ sessionId, uri, offset, length: piece });
      if (turn !== this.turn || part.bytes > mostBytes || this.held + part.bytes > mostHeld) return;
      data += part.data;
      if (part.eof || part.nextOffset === null || part.nextOffset <= offset) {
        const url = dataUrl(data, part.mimeType);
        if (url === undefined) return;
        this.held += part.bytes;
        this.urls.set(uri, url);
        return this.came(this.wanting.get(uri) ?? []);
      }
      offset = part.nextOffset;
    }
  }
}
