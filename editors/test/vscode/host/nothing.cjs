// VS Code plays tests for an extension under development. This is one: what is tested is the packaged extension, installed beside it.
exports.activate = () => {};
