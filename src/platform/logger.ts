// Structured logs: JSON lines on stderr. Only fields of a closed list get out, so that no body, name or key can.
import { type DestinationStream, pino } from 'pino';

/** What may stand in a log line: ids, codes, counts and names from closed sets. Never text that came from outside. */
export type LogFields = {
  readonly component?: string;
  readonly requestId?: string;
  readonly keyId?: string;
  readonly route?: string;
  readonly method?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly code?: string;
  readonly engine?: string;
  readonly count?: number;
  /** Of a run: its id, its site's name, and codes of closed sets. */
  readonly run?: string;
  readonly site?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly pid?: number;
  readonly port?: number;
  readonly signal?: string;
  /** Where something unforeseen was thrown: its class and the lines of our code, never its message. */
  readonly thrown?: unknown;
};

export type Logger = {
  readonly debug: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly error: (message: string, fields?: LogFields) => void;
};

type LoggerParts = { readonly level: string; readonly destination?: DestinationStream };

export function makeLogger({ level, destination = pino.destination({ dest: 2, sync: true }) }: LoggerParts): Logger {
  const log = pino({ level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    debug: (message, fields) => log.debug(allowed(fields), message),
    info: (message, fields) => log.info(allowed(fields), message),
    warn: (message, fields) => log.warn(allowed(fields), message),
    error: (message, fields) => log.error(allowed(fields), message),
  };
}

function allowed({ thrown, ...fields }: LogFields = {}): object {
  return thrown === undefined ? fields : { ...fields, thrown: describeThrown(thrown) };
}

/** Class, code and stack frames of what was thrown and of its causes. Messages stay out: a parser quotes what it read. */
export function describeThrown(thrown: unknown, depth = 0): object {
  if (!(thrown instanceof Error)) return { name: typeof thrown };
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: thrown.name,
    ...(code !== undefined && /^[\w.-]{1,60}$/.test(code) && { code }),
    at: frames.slice(0, 8).map((line) => line.trim()),
    ...(thrown.cause !== undefined && depth < 3 && { cause: describeThrown(thrown.cause, depth + 1) }),
  };
}
