// Log lines for a terminal: turns pino's JSON lines into short text with time, level, message and fields.
import { writeSync } from 'node:fs';

type Thrown = {
  readonly name: string;
  readonly code?: string;
  readonly at: readonly string[];
  readonly cause?: Thrown;
};
type LogLine = Readonly<Record<string, unknown>> & {
  readonly level: number;
  readonly time: string;
  readonly msg: string;
  readonly thrown?: Thrown;
};

const LEVELS = new Map([
  [20, { name: 'debug', color: 2 }],
  [30, { name: 'info ', color: 0 }],
  [40, { name: 'warn ', color: 33 }],
  [50, { name: 'error', color: 31 }],
]);
const WARN = 40;
const DIM = 2;

export type TextLog = {
  readonly write: (jsonLine: string) => void;
  /** While true, lines below a warning are dropped. */
  readonly setQuiet: (isQuiet: boolean) => void;
};

/** Each line is printed with one synchronous call, so that no other output comes between its parts. */
export function makeTextLog(isColored: boolean, print = (text: string): unknown => writeSync(2, text)): TextLog {
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

function formatLine(
  { level, time, msg, pid, service, version, component, thrown, ...fields }: LogLine,
  isColored: boolean,
): string {
  const paint = (code: number, text: string) => (isColored && code > 0 ? `\u001B[${code}m${text}\u001B[0m` : text);
  const { name, color } = LEVELS.get(level) ?? { name: `${level}   `, color: 0 };
  const { method, route, status, durationMs, ...rest } = fields;
  const request = [method, route, status, durationMs === undefined ? undefined : `${durationMs} ms`];
  const values = [...request.filter((one) => one !== undefined), ...Object.entries(rest).map((pair) => pair.join('='))];
  const message = component === undefined ? msg : `${component}: ${msg}`;
  const details = values.length === 0 ? '' : `  ${paint(DIM, values.join(' '))}`;
  const lines = thrown === undefined ? [] : thrownLines(thrown).map((line) => `\n    ${paint(DIM, line)}`);
  return `${time.slice(11, 19)}  ${paint(color, name)}  ${message}${details}${lines.join('')}`;
}

function thrownLines({ name, code, at = [], cause }: Thrown): readonly string[] {
  const own = [`${name}${code === undefined ? '' : ` (${code})`}`, ...at.map((frame) => `  ${frame}`)];
  return cause === undefined ? own : [...own, 'caused by', ...thrownLines(cause)];
}
