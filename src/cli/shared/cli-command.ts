// A command whose help ends with examples, and with remarks below them.
import { Command } from 'commander';

export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  examples(...commands: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${commands.map((command) => `  ${command}\n`).join('')}`);
  }

  /** Called after `examples`. */
  remarks(text: string): this {
    return this.addHelpText('after', text);
  }
}
