// Imports the official list of a code system from the file of its publisher, and lists what was imported. A list replaces the one before as
// a whole, or not at all.
import { createHash } from 'node:crypto';
import type { CodeSystem } from '../../domain/coding/code-system.ts';
import type { OfficialCode } from '../../domain/coding/official-codes.ts';
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import type { Audit } from '../../ports/audit.ts';
import type { CodeList, CodeLists } from '../../ports/codes.ts';
import { byCaller } from '../people/by-caller.ts';
import { readClaml } from './claml-file.ts';
import { readOrderFile } from './cms-order-file.ts';
import { readCodeCsv } from './code-csv.ts';
import { type ReadCodeFile, wrongFile } from './code-file.ts';
import { refuseBinary } from './file-head.ts';

export type ImportOrder = {
  readonly system: CodeSystem;
  /** Undefined: the file says it. */
  readonly version?: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly access: Access;
};

export type ImportedCodes = {
  readonly list: CodeList;
  /** What was in the file and is not in the list. */
  readonly skipped: number;
  readonly ignoredModifiers: number;
};

export type ManageCodes = {
  readonly list: () => Promise<readonly CodeList[]>;
  /** Throws `invalidRequest` for a file that cannot be used, `inUse` during another import, and what reading the bytes throws. */
  readonly import: (order: ImportOrder) => Promise<ImportedCodes>;
};

const READERS: Readonly<Record<CodeSystem, ReadCodeFile>> = {
  'icd-10-cm': readOrderFile,
  'icd-10': readClaml,
  'cie-10-es': readCodeCsv,
};
const BATCH = 2_000;
const MAX_CODES = 500_000;
const MAX_VERSION = 60;

type ManageCodesParts = { readonly codes: Pick<CodeLists, 'list' | 'replace'>; readonly audit: Pick<Audit, 'append'> };

export function makeManageCodes({ codes, audit }: ManageCodesParts): ManageCodes {
  let isImporting = false;
  return {
    list: () => codes.list(),

    async import(order) {
      // Refused before anything is read; another engine is noticed by the store.
      if (isImporting) throw new AppError('inUse', 'Another list is imported at the moment: try again when it is done');
      isImporting = true;
      try {
        let imported: Counted = { count: 0, skipped: 0, ignoredModifiers: 0 };
        const batches = readBatches(order, async ({ version, sha256, ...counted }) => {
          imported = counted;
          const details = { system: order.system, version, ...counted, sha256 };
          await audit.append(byCaller(order.access, { action: 'codes.import', details }));
        });
        const list = await codes.replace({ system: order.system, batches });
        return { list, skipped: imported.skipped, ignoredModifiers: imported.ignoredModifiers };
      } finally {
        isImporting = false;
      }
    },
  };
}

type Counted = { readonly count: number; readonly skipped: number; readonly ignoredModifiers: number };
type Whole = Counted & Pick<CodeList, 'version' | 'sha256'>;

/** `onWhole` is called when the whole file was read and is right, before it replaces the old list. */
async function* readBatches(
  { system, version: given, bytes }: Omit<ImportOrder, 'access'>,
  onWhole: (whole: Whole) => Promise<void>,
): AsyncGenerator<readonly OfficialCode[], Pick<CodeList, 'version' | 'sha256'>> {
  if (given === undefined && system !== 'icd-10') throw wrongFile(NO_VERSION);
  const hash = createHash('sha256');
  const rows = READERS[system](refuseBinary(hashed(bytes, hash)));
  const found = new Map<string, string>();
  let batch: OfficialCode[] = [];
  let next = await rows.next();
  for (; next.done !== true; next = await rows.next()) {
    const { code, display } = next.value;
    const before = found.get(code);
    if (before !== undefined && before !== display)
      throw wrongFile(`The file has the code ${code} twice, with different names.`);
    if (before !== undefined) continue;
    found.set(code, display);
    if (found.size > MAX_CODES) throw wrongFile(`The file has more than ${MAX_CODES} codes.`);
    batch.push(next.value);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (found.size === 0) throw wrongFile('The file has no codes.');
  if (batch.length > 0) yield batch;
  const { version: inFile, skipped, ignoredModifiers = 0 } = next.value;
  const whole = { version: versionOf(inFile, given), sha256: hash.digest('hex') };
  await onWhole({ ...whole, count: found.size, skipped, ignoredModifiers });
  return whole;
}

const NO_VERSION = 'The file does not say which version it is: name it with version (--version 2026).';

function versionOf(inFile: string | undefined, given: string | undefined): string {
  const version = inFile ?? given;
  if (version === undefined) throw wrongFile(NO_VERSION);
  if (version.length > MAX_VERSION || /\p{Cc}/u.test(version))
    throw wrongFile('The version that the file names is no line of text.');
  if (given !== undefined && given !== version)
    throw wrongFile('The file says that it is another version than the one that was given.');
  return version;
}

async function* hashed(
  bytes: AsyncIterable<Uint8Array>,
  hash: { readonly update: (bytes: Uint8Array) => unknown },
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
}
