// VS Code plays tests for an extension under development. This is one: what is tested is the packaged extension, installed beside it. It
// is there first, and looks how long the extension's activation was held up by whoever else uses the machine.
const { readFileSync } = require('node:fs');
const Module = require('node:module');

/** For how many ms this thread could have run and others did, since it began; 0 where the system does not say. */
function heldUp() {
  try { return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6; } catch { return 0; }
}

exports.activate = () => {
  const load = Module._extensions['.js'];
  globalThis.heldUpAtActivation = 0;
  Module._extensions['.js'] = (module, file) => {
    if (!/\/agent-sidecar\.agent-sidecar-[^/]*\/dist\/extension\.js$/.test(file)) return load(module, file);
    let began = heldUp();
    load(module, file);
    globalThis.heldUpAtActivation += heldUp() - began;
    const { activate } = module.exports;
    module.exports = { ...module.exports, async activate(...args) {
      began = heldUp();
      const own = await activate(...args);
      globalThis.heldUpAtActivation += heldUp() - began;
      return own;
    } };
  };
};
