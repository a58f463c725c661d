// What VS Code's extension host runs for extensionTestsPath: mocha over the files of this folder. One line a test, in $LOGS/host.out.
const { appendFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

exports.run = async () => {
  const { default: Mocha } = await import(join(process.env.DRIVER, 'node_modules/mocha/index.js'));
  const say = (line) => appendFileSync(join(process.env.LOGS, 'host.out'), line.replace(/\s*\n\s*/g, ' ').slice(0, 600) + '\n');
  class Lines {
    constructor(runner) {
      runner.on('pass', (test) => say(`ok   ${test.fullTitle()}`));
      runner.on('fail', (test, error) => say(`FAIL ${test.fullTitle()} -- ${error?.message ?? error}`));
    }
  }
  const mocha = new Mocha({ ui: 'tdd', timeout: 90_000, reporter: Lines });
  for (const file of readdirSync(__dirname).filter((f) => f.endsWith('.test.cjs')).sort()) mocha.addFile(join(__dirname, file));
  let failures = 1;
  try {
    failures = await new Promise((done) => mocha.run(done));
  } catch (error) { // a file that cannot be loaded
    say(`FAIL the tests -- ${error.stack}`);
  }
  if (failures > 0) throw new Error(`${failures} failed`);
};
