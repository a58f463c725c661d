// A built VS Code ignores tests and extensions in its address unless its page says that it is driven: for addInitScript.
export function allowDevelopment() {
  const get = Element.prototype.getAttribute;
  Element.prototype.getAttribute = function (name) {
    const value = get.call(this, name);
    if (name !== 'data-settings' || this.id !== 'vscode-workbench-web-configuration') return value;
    const configuration = JSON.parse(value);
    configuration.developmentOptions = { ...configuration.developmentOptions, enableSmokeTestDriver: true };
    return JSON.stringify(configuration);
  };
}
