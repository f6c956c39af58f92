// The parts that every command receives, and small functions that commands share.
import { CliError } from './cli-error.ts';
import type { HowToConnect, OpsClient } from './ops-client.ts';
import type { Terminal } from './terminal.ts';

export type CommandParts = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Connects to the engine. Throws a CliError if a setting is wrong. */
  readonly connect: (how?: HowToConnect) => OpsClient;
  /** Prints the result on stdout. */
  readonly print: (text: string) => void;
  /** Prints a remark on stderr, apart from the result. */
  readonly warn: (text: string) => void;
  readonly terminal: Terminal;
  readonly wantsJson: () => boolean;
  readonly now: () => Date;
  readonly pause: (ms: number) => Promise<void>;
};

/** Options that take a text, as commander passes them. */
export type TextOptions<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** The longest wait for the first byte of an answer. */
export const LONG_PATIENCE = { timeoutMs: 290_000 } as const;

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Returns a number, or the text unchanged so that the engine reports what is wrong with it. */
export function toNumber(text: string): number | string {
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? text : number;
}

type Question = {
  readonly question: string;
  /** The message if the answer is no. */
  readonly otherwise: string;
  /** What would be done, for the message if there is no terminal to ask at. */
  readonly because: string;
};

/** Returns if the person at the terminal agrees, and throws a CliError otherwise. A question of several lines ends with a line of its own. */
export async function agree(
  { terminal, wantsJson }: Pick<CommandParts, 'terminal' | 'wantsJson'>,
  { question, otherwise, because }: Question,
): Promise<void> {
  if (terminal.ask === undefined || wantsJson()) {
    throw new CliError(`${otherwise} ${because} Cannot prompt: not a terminal. Pass --yes to confirm.`);
  }
  const answer = await terminal.ask(`${question}${question.includes('\n') ? '\n' : ' '}Continue? [y/N] `);
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new CliError(otherwise);
}

/** Shows a progress message on a terminal while the work runs, and removes it afterwards. */
export async function withProgress<Result>(
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

/** Encodes the name of a site for an address. The name may be bare or `Site/<name>`. */
export function sitePath(given: string, verb: string): string {
  const site = given.replace(/^Site\//, '');
  if (site === '' || site.includes('/')) {
    throw new CliError('No site has this name. List the sites: npm run cli -- sites list');
  }
  return `/sites/${encodeURIComponent(site)}/${verb}`;
}

/** Turns `2h` into the time two hours ago. Any other text goes to the engine, which reports what it accepts. */
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
