// Finds what a folder's settings require and no file provides: documents, and the table of codes for diseases.
import { type Problem, sortProblems } from '../../domain/mapping/mapping.ts';
import { didYouMean, tableName } from '../../mapping/mapping.ts';
import type { ParsedFolder } from './parse-folders.ts';
import type { SettingPath, SettingsRead } from './site-settings.ts';

type Parts = {
  readonly read: SettingsRead;
  /** The folder and those it extends, nearest first. */
  readonly chain: readonly ParsedFolder[];
  /** Keyed by name, including inherited ones. */
  readonly documents: ReadonlyMap<string, unknown>;
  readonly tables: ReadonlyMap<string, unknown>;
};

/** A missing `extends: base` is one reason for many missing files, so it is reported once. */
export function missingFiles(parts: Parts): readonly Problem[] {
  const hints = findMissing(parts);
  const missing = sortProblems([...hints.keys()]);
  const isBaseThere = parts.chain.some(({ kind }) => kind === 'base');
  const first = isBaseThere ? undefined : missing.find((problem) => hints.get(problem) === '');
  return missing.map((problem) => {
    const hint = problem === first ? '; is extends: base missing?' : hints.get(problem);
    return { ...problem, message: `${problem.message}${hint}` };
  });
}

/** Adds a suggestion: `; did you mean flag?` */
function findMissing({ read, documents, tables }: Parts): ReadonlyMap<Problem, string> {
  const missing = new Map<Problem, string>();
  const miss = (path: SettingPath, what: string, hint = '') => {
    // A folder that is not a site may lack what only the defaults require.
    if (read.isDefault(...path) && !read.isSite) return;
    const setting = path.filter((step) => typeof step === 'string').join('.');
    missing.set({ place: read.placeOf(...path), message: `${setting}: there is no ${what}` }, hint);
  };
  const look = (document: string, ...path: SettingPath) => {
    if (documents.has(document)) return;
    miss(path, `mapping ${document}`, read.isDefault(...path) ? '' : didYouMean(document, documents.keys()));
  };
  if (read.settings === undefined) return missing;
  const { write, codes } = read.settings;
  const isTableThere = codes.diagnosis === 'none' || tables.has(tableName(codes.diagnosis));
  if (!isTableThere) miss(['codes', 'diagnosis'], `table codes/${codes.diagnosis}.yaml`);
  for (const list of ['note', 'diagnosis'] as const) {
    for (const [index, document] of write[list].entries()) look(document, 'write', list, index);
  }
  if (write.provenance) look('provenance', 'write', 'provenance');
  if (write.differential === 'separate-document') look('differential', 'write', 'differential');
  return missing;
}
