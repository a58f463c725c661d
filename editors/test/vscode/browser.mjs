// The browser in which windows and pages are shown. It is Debian's Chromium, not what is tested here.
import { line } from './checks.mjs';

/**
 * Starts one. Chromium was seen to end by itself while it started, before anything was shown in it (once in some thousand starts);
 * that says nothing of what is tested, so it is said loudly and tried once more. One that ends later is a failure as any other.
 */
export async function launch(chromium, program) {
  const start = () => chromium.launch({
    executablePath: program, headless: true, timeout: 90_000,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
      '--disable-sync', '--disable-dev-shm-usage'],
  });
  try { return await start(); } catch (e) {
    console.error(e); // all that it said, for editor.err
    console.log(`!!   the browser did not start and is started again -- ${line(e)}`);
    return start();
  }
}
