// Goes back to a prompt with the files: the extension asks and does it. The prompt is then in the box of the fork.
import type { PromptRow } from './conversation/model';
import type { Host } from './conversation/host';

export async function restoreTo(host: Host, sessionId: string | null, row: PromptRow, show: (sessionId: string) => Promise<void>, fill: (row: PromptRow) => void): Promise<void> {
  if (sessionId === null || row.seq === undefined) return;
  const fork = await host.perform({ do: 'restore', sessionId, seq: row.seq });
  if (typeof fork !== 'string') return;
  await show(fork);
  fill(row);
}
