// Jest reads TypeScript as Node does: types are replaced by blanks, so that lines and columns are unchanged.
import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

type Options = { readonly instrument: boolean };

export default {
  process(source: string): { readonly code: string } {
    return { code: stripTypeScriptTypes(source) };
  },

  getCacheKey(source: string, file: string, { instrument }: Options): string {
    return createHash('sha256').update(`${process.version} ${instrument} ${file} ${source}`).digest('hex');
  },
};
