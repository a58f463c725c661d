// A tool that answers, one that fails, one that waits until it is told to stop, and one that nobody must ask for.
const { appendFileSync } = require('node:fs');
const { join } = require('node:path');
const { LanguageModelTextPart, LanguageModelToolResult, lm } = require('vscode');

const note = (what) => appendFileSync(join(process.env.LOGS, 'tools'), `${what}\n`);
const text = (...parts) => new LanguageModelToolResult(parts.map((part) => new LanguageModelTextPart(part)));

exports.activate = (context) => {
  const tools = {
    tickets_show: async ({ input }) => text(`Ticket ${input.number}:`, 'the lamp is broken.'),
    tickets_lost: async () => { throw new Error('there is no ticket office'); },
    tickets_slow: (_, token) => new Promise((done) => {
      note('slow began');
      token.onCancellationRequested(() => {
        note('slow was stopped');
        done(text('too late'));
      });
    }),
    tickets_delete: async () => {
      note('deleted');
      return text('deleted');
    },
  };
  for (const [name, invoke] of Object.entries(tools)) context.subscriptions.push(lm.registerTool(name, { invoke }));
};
