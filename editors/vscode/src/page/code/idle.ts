// Work that can wait, one piece after another, while nobody needs the page.
const waiting: (() => void)[] = [];

const next = (): void => {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(work);
  else setTimeout(work, 50);
};

function work(): void {
  try {
    waiting[0]!();
  } finally {
    waiting.shift();
    if (waiting.length > 0) next();
  }
}

export function soon(piece: () => void): void {
  if (waiting.push(piece) === 1) next();
}
