// What every command is given, and the small things that all of them do alike.
import { CliError } from './cli-error.ts';
import type { OpsClient } from './ops-client.ts';
import type { Terminal } from './terminal.ts';

export type CommandParts = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** To the engine; only here does a wrong setting show. */
  readonly connect: (how?: HowToConnect) => OpsClient;
  /** The result, on stdout. */
  readonly print: (text: string) => void;
  /** What is worth saying beside the result, on stderr. */
  readonly warn: (text: string) => void;
  readonly terminal: Terminal;
  readonly wantsJson: () => boolean;
  readonly now: () => Date;
};

export type HowToConnect = {
  /** For what takes longer than half a minute. */
  readonly timeoutMs?: number;
  /** What to do where that was not long enough. */
  readonly whenLate?: string;
  /** With the key of CHARTWRIGHT_REVIEWER_KEY, where there is one. */
  readonly asReviewer?: boolean;
};

/** Nobody waits longer for the beginning of an answer anyway. */
export const LONG_PATIENCE = { timeoutMs: 290_000 } as const;

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

type Question = {
  readonly question: string;
  /** What is true where the answer is no. */
  readonly otherwise: string;
  /** What would be done, for whoever cannot be asked. */
  readonly because: string;
};

/** Returns where somebody said yes, and throws a CliError otherwise. */
export async function agree(
  { terminal, wantsJson }: Pick<CommandParts, 'terminal' | 'wantsJson'>,
  { question, otherwise, because }: Question,
): Promise<void> {
  if (terminal.ask === undefined || wantsJson()) {
    throw new CliError(`${otherwise} ${because} Nobody is here to be asked. With --yes it goes without a question.`);
  }
  const answer = await terminal.ask(`${question} Go on? [y/N] `);
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new CliError(otherwise);
}

/** Says what is waited for, where somebody looks; takes it away again. */
export async function whileTelling<Result>(
  { terminal }: Pick<CommandParts, 'terminal'>,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  terminal.tellProgress?.(text);
  try {
    return await work();
  } finally {
    terminal.tellProgress?.('');
  }
}

/** Names of sites are taken bare or as `Site/<name>`; encoded for an address. */
export function sitePath(given: string, verb: string): string {
  const site = given.replace(/^Site\//, '');
  if (site === '' || site.includes('/')) {
    throw new CliError('There is no site of such a name: npm run cli -- sites list shows them.');
  }
  return `/sites/${encodeURIComponent(site)}/${verb}`;
}

/** `2h` ago, as a time; what is no such thing is left to the engine, which says what it takes. */
export function timeOrAgo(given: string | undefined, now: Date): string | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})\s*(s|m|h|d|w)$/.exec(given?.trim() ?? '') ?? [];
  const ms = UNITS[unit];
  return ms === undefined ? given : new Date(now.getTime() - Number(count) * ms).toISOString();
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
