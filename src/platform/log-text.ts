// Log lines for a terminal: turns pino's JSON lines into short text with time, level, message and fields.
import { writeSync } from 'node:fs';

type LogLine = { readonly level: number; readonly time: string; readonly msg: string } & Readonly<
  Record<string, unknown>
>;
type Thrown = {
  readonly name: string;
  readonly code?: string;
  readonly at?: readonly string[];
  readonly cause?: Thrown;
};

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
const WARN = 40;
const COLORS: Readonly<Record<string, number>> = { warn: 33, error: 31, fatal: 31 };
const DIM = 2;

export type TextLog = {
  readonly write: (jsonLine: string) => void;
  /** While true, lines below a warning are dropped. */
  readonly setQuiet: (isQuiet: boolean) => void;
};

/** `print` writes at once, so that no other output of the process comes between the parts of a line. */
export function makeTextLog(isColored: boolean, print: (text: string) => void = printToStderr): TextLog {
  let isQuiet = false;
  return {
    write(jsonLine) {
      const line: LogLine = JSON.parse(jsonLine);
      if (!isQuiet || line.level >= WARN) print(`${formatLine(line, isColored)}\n`);
    },
    setQuiet: (next) => {
      isQuiet = next;
    },
  };
}

function printToStderr(text: string): void {
  writeSync(2, text);
}

function formatLine({ level, time, msg, pid: _, component, thrown, ...fields }: LogLine, isColored: boolean): string {
  const color = (code: number | undefined, text: string) =>
    isColored && code !== undefined && text !== '' ? `\u001B[${code}m${text}\u001B[0m` : text;
  const name = LEVELS[level] ?? 'log';
  const details = Object.entries(fields).map(([key, value]) => `${key}=${String(value)}`);
  const head = [
    time.slice(11, 19),
    color(COLORS[name], name.padEnd(5)),
    component === undefined ? msg : `${component}: ${msg}`,
  ];
  const lines = thrown === undefined ? [] : thrownLines(thrown as Thrown);
  return (
    [...head, color(DIM, details.join(' '))].filter(Boolean).join('  ') +
    lines.map((line) => `\n    ${color(DIM, line)}`).join('')
  );
}

function thrownLines({ name, code, at = [], cause }: Thrown): readonly string[] {
  const own = [`${name}${code === undefined ? '' : ` (${code})`}`, ...at.map((frame) => `  ${frame}`)];
  return cause === undefined
    ? own
    : [...own, ...thrownLines(cause).map((line, index) => (index === 0 ? `cause: ${line}` : line))];
}
