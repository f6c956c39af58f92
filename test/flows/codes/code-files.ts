// Files of codes for tests: made up, in the forms of their publishers.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { OfficialCode } from '../../../src/domain/coding/official-codes.ts';
import type { CodeFileSummary, ReadCodeFile } from '../../../src/flows/codes/code-file.ts';

export function codeFile(name: string): Promise<Uint8Array> {
  return readFile(path.join(import.meta.dirname, '../../fixtures/codes', name));
}

/** The bytes in pieces of one size, as they may come from a network. */
export async function* inPieces(bytes: Uint8Array | string, size = 65_536): AsyncGenerator<Uint8Array> {
  const whole = Buffer.from(bytes);
  for (let from = 0; from < whole.length; from += size) yield whole.subarray(from, from + size);
}

export async function readAll(
  read: ReadCodeFile,
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly codes: readonly OfficialCode[]; readonly summary: CodeFileSummary }> {
  const rows = read(bytes);
  const codes: OfficialCode[] = [];
  let next = await rows.next();
  for (; next.done !== true; next = await rows.next()) codes.push(next.value);
  return { codes, summary: next.value };
}
