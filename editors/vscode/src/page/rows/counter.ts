// The counter beside a call that runs: for how long it has, and how much it has printed. All
// of them move together once a second, and none of them draws its row again.
import { el } from '../dom';
import { t } from '../strings';

export const seconds = (ms: number) => (ms / 1000).toFixed(ms < 10000 ? 1 : 0);

/** A size that is worth a word, in bytes. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return '';
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib.toFixed(kib < 10 ? 1 : 0)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
}

/** A time that is over only when something ends; nothing in the first two seconds, in which most calls do. */
export function elapsed(ms: number): string {
  const all = Math.floor(ms / 1000);
  if (!(all >= 2)) return '';
  return all < 60 ? t('seconds', all) : t('minutes', Math.floor(all / 60), String(all % 60).padStart(2, '0'));
}

let ticking: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  const all = document.querySelectorAll<HTMLElement>('.counting');
  for (const one of all) write(one);
  if (all.length) return;
  clearInterval(ticking);
  ticking = undefined;
}

function write(node: HTMLElement): void {
  const text = [elapsed(Date.now() - Date.parse(node.dataset.begun!)), node.dataset.printed].filter(Boolean).join(' · ');
  if (node.textContent !== text) node.textContent = text;
}

/** begun is a time of the log. Those who do not see are not told each second. */
export function counter(begun: string, printed: number): HTMLElement {
  const node = el('span', { class: 'quiet time counting', 'aria-hidden': 'true', 'data-begun': begun, 'data-printed': sizeOf(printed) });
  write(node);
  ticking ??= setInterval(tick, 1000);
  return node;
}
