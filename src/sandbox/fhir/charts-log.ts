// The charts on disk: a file with one line for each committed change or transaction. A line is handed to the operating system before the
// change is answered or announced, so that ending the process loses nothing.
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { isObject } from './resource-values.ts';
import type { StoredWrite } from './store-records.ts';
import type { TopicEvent } from './subscription-notices.ts';

export type LogRecord =
  | { readonly write: StoredWrite }
  /** The bytes of a Binary, which are in a separate file. */
  | { readonly bytes: { readonly id: string; readonly file: string; readonly sizeBytes: number } }
  | { readonly event: TopicEvent & { readonly subscription: string } };

export type ChartsLog = {
  /** The records that the file had when it was opened, in order. */
  readonly records: readonly LogRecord[];
  /** Appends all records or none. Throws if they cannot be written. */
  readonly append: (records: readonly LogRecord[]) => void;
  /** Deletes all records. */
  readonly clear: () => void;
  readonly close: () => void;
};

/** The number of events that are stored for each Subscription. */
export const STORED_EVENTS = 1_000;
/** Smaller files are not compacted. */
const MIN_COMPACTED = 100;

export function openChartsLog(folder: string): ChartsLog {
  mkdirSync(folder, { recursive: true });
  const name = path.join(folder, 'charts.jsonl');
  const { records: read, sizeBytes: readBytes } = readLog(name);
  const records = stillNeeded(read);
  const isCompacted = read.length > MIN_COMPACTED && records.length * 1.5 < read.length;
  const compact = isCompacted ? lineOf(records) : undefined;
  if (compact) {
    writeFileSync(`${name}.new`, compact, { mode: 0o600 });
    renameSync(`${name}.new`, name);
  }
  let sizeBytes = compact?.length ?? readBytes;
  const file = openSync(name, 'a', 0o600);
  ftruncateSync(file, sizeBytes);
  let isClosed = false;
  return {
    records,
    append: (more) => {
      // The number of a closed file may belong to another file.
      if (isClosed) return;
      const line = lineOf(more);
      try {
        for (let written = 0; written < line.length; ) written += writeSync(file, line, written);
      } catch (error) {
        // Removes the partial line, so that the next record is not joined to it.
        ftruncateSync(file, sizeBytes);
        throw error;
      }
      sizeBytes += line.length;
    },
    clear: () => {
      ftruncateSync(file, 0);
      sizeBytes = 0;
    },
    close: () => {
      if (!isClosed) closeSync(file);
      isClosed = true;
    },
  };
}

function lineOf(records: readonly LogRecord[]): Buffer {
  return Buffer.from(`${JSON.stringify(records)}\n`);
}

/** Reads up to the last complete line, because a killed process may leave a partial one. */
function readLog(name: string): { readonly records: readonly LogRecord[]; readonly sizeBytes: number } {
  const bytes = readOrEmpty(name);
  const sizeBytes = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.toString('utf8', 0, sizeBytes).split('\n').slice(0, -1);
  return { records: lines.flatMap((line, index) => recordsOf(line, { name, number: index + 1 })), sizeBytes };
}

function readOrEmpty(name: string): Buffer {
  try {
    return readFileSync(name);
  } catch (error) {
    if (isObject(error) && error['code'] === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function recordsOf(line: string, at: { readonly name: string; readonly number: number }): readonly LogRecord[] {
  try {
    return JSON.parse(line) as readonly LogRecord[];
  } catch (cause) {
    const message = `The sandbox's charts cannot be read: line ${at.number} of ${at.name} is broken. Move the file away to begin anew`;
    throw new AppError('internal', message, { cause });
  }
}

/** Leaves out events beyond the stored number and bytes that were replaced. */
function stillNeeded(records: readonly LogRecord[]): readonly LogRecord[] {
  const [deleted, lastEvent, lastFile] = [new Set<string>(), new Map<string, number>(), new Map<string, string>()];
  for (const record of records) {
    if ('event' in record) lastEvent.set(record.event.subscription, record.event.number);
    else if ('bytes' in record) lastFile.set(record.bytes.id, record.bytes.file);
    else if (record.write.version.method === 'DELETE') deleted.add(`${record.write.type}/${record.write.id}`);
    else deleted.delete(`${record.write.type}/${record.write.id}`);
  }
  return records.filter((record) => {
    if ('bytes' in record) return lastFile.get(record.bytes.id) === record.bytes.file;
    if (!('event' in record)) return true;
    const { subscription, number } = record.event;
    const isOld = number <= (lastEvent.get(subscription) ?? 0) - STORED_EVENTS;
    return !isOld && !deleted.has(`Subscription/${subscription}`);
  });
}
