// The official lists of codes that an operator has imported. All engines on one database read the same lists.
import type { CodeSystem } from '../domain/coding/code-system.ts';
import type { OfficialCode, OfficialCodes, OfficialNames } from '../domain/coding/official-codes.ts';

export type CodeList = {
  readonly system: CodeSystem;
  /** As the publisher names it: `2026`. */
  readonly version: string;
  readonly count: number;
  /** How many of them are categories above billable codes, as far as the file says it. */
  readonly categories: number;
  readonly importedAt: Date;
  /** In hex, of the file that it was read from. */
  readonly sha256: string;
};

export type NewCodeList = {
  readonly system: CodeSystem;
  /** Ends when the whole list was read, and says then what it was; throws if the file cannot be used. It is read once. */
  readonly batches: AsyncGenerator<readonly OfficialCode[], Pick<CodeList, 'version' | 'sha256'>>;
};

export type CodeLists = {
  readonly list: () => Promise<readonly CodeList[]>;
  /**
   * Puts a list in the place of the one before, all of it or nothing: if `batches` throws, the old list stays, and its error is thrown.
   * Throws `inUse` while another list is imported, also by another engine.
   */
  readonly replace: (list: NewCodeList) => Promise<CodeList>;
  /** Undefined if there is no list of this system. */
  readonly find: (system: CodeSystem, codes: readonly string[]) => Promise<OfficialCodes | undefined>;
  /** The official names of each code, of all lists that have it. */
  readonly displays: (codes: readonly string[]) => Promise<OfficialNames>;
};
