// Made-up words that represent confidential data, one for each place where such data can enter an engine, and searches of the places where
// none of them may appear: the log, the metrics, the errors, the files and the tables.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { makeAudio } from './audio-samples.ts';
import { listenAnswer } from './deepgram-server.ts';
import type { Clinic } from './journey-upload.ts';
import type { Behaviour } from './openai-behaviours.ts';

const PLACES = [
  'history',
  'attachment',
  'attachmentName',
  'transcript',
  'note',
  'diagnosis',
  'template',
  'dynamicField',
  'recording',
  'recordingName',
  'fieldName',
  'fieldValue',
  'header',
  'cookie',
  'address',
  'query',
  'wrongKey',
  'vendorError',
  'brokenJson',
] as const;
export type Place = (typeof PLACES)[number];
export type Canaries = Readonly<Record<Place, string>>;

/** The words have letters and digits alone, so that no encoding of text changes them. */
export function makeCanaries(): Canaries {
  const word = (place: Place) => [place, `canary${randomBytes(8).toString('hex')}`] as const;
  return Object.fromEntries(PLACES.map(word)) as Canaries;
}

/** Returns a silent recording with the word repeated among its samples. */
export function recordingWith(word: string, sizeBytes: number): Uint8Array<ArrayBuffer> {
  const recording = Buffer.from(makeAudio('wav', sizeBytes));
  for (let at = 1_000; at + word.length < recording.length; at += 5_000) recording.write(word, at, 'latin1');
  return Uint8Array.from(recording);
}

/** Makes both vendors answer with confidential words. */
export function speakOf({ speech, model }: Clinic, canaries: Canaries): void {
  speech.behave({ kind: 'answer', body: listenAnswer([[0, `My chest hurts, says ${canaries.transcript}.`]]) });
  model.behave({ kind: 'answer', content: (usual) => withCanaries(usual, canaries) });
}

/** Returns an error of the model that quotes the question. */
export function modelErrorWith({ vendorError }: Canaries, status: number): Behaviour {
  return { kind: 'status', status, body: JSON.stringify({ error: { message: vendorError, type: vendorError } }) };
}

function withCanaries(usual: unknown, { note, diagnosis }: Canaries): unknown {
  const answer = usual as { readonly sections?: readonly object[]; readonly triage?: object };
  if (answer.sections !== undefined) {
    return { ...answer, title: note, sections: answer.sections.map((section) => ({ ...section, text: note })) };
  }
  return { ...answer, triage: { ...answer.triage, triage_justification: diagnosis } };
}

/** Returns the places whose words are in the text. */
export function findCanaries(text: string | Buffer, canaries: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(canaries)
    .filter(([, word]) => text.includes(word))
    .map(([place]) => place);
}

/** Returns each file below the folder that contains one of the words, with the places of the words. */
export async function searchFiles(
  folder: string,
  canaries: Readonly<Record<string, string>>,
): Promise<{ readonly files: number; readonly found: readonly string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const found: string[] = [];
  for (const file of files) {
    // A database removes files of its own during the search.
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    found.push(...findCanaries(bytes, canaries).map((place) => `${path.relative(folder, file)}: ${place}`));
  }
  return { files: files.length, found };
}

/** Returns all values of all tables; bytes are unchanged. */
export async function dumpTables(connectionString: string): Promise<{ readonly rows: number; readonly dump: Buffer }> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    );
    const values: Buffer[] = [];
    let rows = 0;
    for (const { name } of tables) {
      const table = await client.query<Record<string, unknown>>(`select * from ${name}`);
      rows += table.rows.length;
      for (const row of table.rows) values.push(...Object.values(row).map(toBytes));
    }
    return { rows, dump: Buffer.concat(values) };
  } finally {
    await client.end();
  }
}

function toBytes(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  return Buffer.from(typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));
}
