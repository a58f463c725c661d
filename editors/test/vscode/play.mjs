// play.mjs SCENARIO: plays scenarios/SCENARIO.mjs in a VS Code. play.sh gives it an environment with nothing of whoever runs it, in a
// folder of its own: VSCODE (the program), DRIVER (where playwright is), CHROMIUM, EXTENSION (the .vsix), LOGS, OLDEST.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { launch } from './browser.mjs';
import { failed, is, onFailure, Stop } from './checks.mjs';
import { Server } from './server.mjs';
import { Wire } from './wire.mjs';
import { Workbench } from './workbench.mjs';

const { VSCODE, CHROMIUM, DRIVER, EXTENSION, LOGS, OLDEST, PICTURES, TOP } = process.env;
const { chromium } = createRequire(join(DRIVER, 'package.json'))('playwright-core');
const dir = process.cwd();
const open = []; // what is to be ended, last first

/** What a scenario is given. */
const stage = {
  dir, logs: LOGS, oldest: OLDEST === 'true', wire: new Wire(LOGS), extension: EXTENSION,
  workspace: join(dir, 'workspace'),
  /** Settings of the machine: the sidecar that keeps its wire, not the one inside the .vsix. */
  machine: { 'agentSidecar.path': join(dir, 'bin/agent-sidecar') },
  /** A picture for the README, made anew where that is asked for. */
  async picture(window, name) {
    if (!PICTURES || stage.oldest || window.server.language) return;
    mkdirSync(join(TOP, 'docs/pictures'), { recursive: true });
    await window.page.screenshot({ path: join(TOP, 'docs/pictures', `${name}.png`) });
  },
  async server(options = {}) {
    const server = new Server({ program: VSCODE, dir, logs: LOGS, extension: EXTENSION, oldest: stage.oldest, ...options });
    open.push(() => server.stop());
    await server.start();
    return server;
  },
  async window(server, options = {}) {
    if (!stage.browser) {
      stage.browser = await launch(chromium, CHROMIUM);
      open.push(() => stage.browser.close());
    }
    const window = new Workbench(stage.browser, server, { folder: stage.workspace, logs: LOGS, ...options });
    onFailure((what) => window.screenshot(`FAIL ${what}`));
    return window;
  },
};

try {
  const scenario = await import(`./scenarios/${process.argv[2]}.mjs`);
  await scenario.default(stage);
} catch (e) {
  if (!(e instanceof Stop)) await is('the scenario runs', false, e?.stack ?? e);
}
for (const end of open.reverse()) await end().catch((e) => is('it comes to its end', false, e));
process.exit(failed() ? 1 : 0);
