// Structured logs on stderr: JSON lines, or short text for a terminal. Only fields of a closed list are written, so that no body, name or
// key can appear in a log.
import { type DestinationStream, pino } from 'pino';
import { makeTextLog } from './log-text.ts';

/** The fields of a log line: ids, codes, counts and names from closed sets. Text from outside must not be in one. */
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
  readonly vendor?: string;
  readonly operation?: string;
  readonly count?: number;
  /** The id of a run, its site's name, and codes of closed sets. */
  readonly run?: string;
  readonly job?: string;
  readonly site?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly pid?: number;
  readonly port?: number;
  readonly signal?: string;
  /** An unforeseen error: its class and stack frames are written, never its message. */
  readonly thrown?: unknown;
};

export type Logger = {
  readonly debug: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly error: (message: string, fields?: LogFields) => void;
};

export type ProcessLogger = Logger & {
  /** While true, text below a warning is dropped; JSON lines are not affected. A level other than `info` is not affected either. */
  readonly setQuiet: (isQuiet: boolean) => void;
};

type LoggerParts = {
  readonly level: string;
  readonly format?: 'json' | 'text';
  readonly isColored?: boolean;
  /** In each JSON line. */
  readonly service?: { readonly name: string; readonly version: string };
  /** The trace that a line belongs to, if any. */
  readonly traceId?: () => string | undefined;
  /** Takes JSON lines; the default is stderr. */
  readonly destination?: DestinationStream;
};

export function makeLogger(parts: LoggerParts): ProcessLogger {
  const { level, format = 'json', isColored = false } = parts;
  const text = format === 'text' ? makeTextLog(isColored) : undefined;
  const destination = parts.destination ?? text ?? pino.destination({ dest: 2, sync: true });
  const { service, traceId } = parts;
  const base = { pid: process.pid, ...(service && { service: service.name, version: service.version }) };
  const mixin = (): object => {
    const trace_id = traceId?.();
    return trace_id === undefined ? {} : { trace_id };
  };
  const log = pino({ level, base, mixin, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    debug: (message, fields) => log.debug(allowed(fields), message),
    info: (message, fields) => log.info(allowed(fields), message),
    warn: (message, fields) => log.warn(allowed(fields), message),
    error: (message, fields) => log.error(allowed(fields), message),
    setQuiet: (isQuiet) => text?.setQuiet(isQuiet && level === 'info'),
  };
}

function allowed({ thrown, ...fields }: LogFields = {}): object {
  return thrown === undefined ? fields : { ...fields, thrown: describeThrown(thrown) };
}

/** Class, code and stack frames of an error and of its causes. Messages are left out, because a parser quotes its input. */
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
