// The browser in which windows and pages are shown. It is Debian's Chromium, not what is tested here.

/** Starts one. Where it does not start, the error has what Chromium said of it first; Playwright's begins with a long command line. */
export async function launch(chromium, program) {
  try {
    return await chromium.launch({
      executablePath: program, headless: true, timeout: 90_000,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
        '--disable-sync', '--disable-dev-shm-usage'],
    });
  } catch (e) {
    console.error(e); // all of it, for editor.err
    const said = e.message.split('\n').find((l) => l.includes('[err]'));
    throw new Error(`the browser does not start: ${said?.trim() ?? e.message}`);
  }
}
