// What every command is given, and the small things that all of them do alike.
import type { OpsClient } from './ops-client.ts';
import type { Terminal } from './terminal.ts';

export type CommandParts = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** To the engine; only here does a wrong setting show. What takes longer than half a minute says so. */
  readonly connect: (patience?: { readonly timeoutMs: number }) => OpsClient;
  /** The result, on stdout. */
  readonly print: (text: string) => void;
  /** What is worth saying beside the result, on stderr. */
  readonly warn: (text: string) => void;
  readonly terminal: Terminal;
  readonly wantsJson: () => boolean;
};

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The end of a help text. */
export function examples(...commands: readonly string[]): string {
  return `\nExamples:\n${commands.map((command) => `  ${command}\n`).join('')}`;
}

/** A number, or the text as it is: the engine says what is wrong with it. */
export function toNumber(text: string): number | string {
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? text : number;
}
