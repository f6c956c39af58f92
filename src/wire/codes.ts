// What /ops/codes takes and answers.
import { z } from 'zod';
import { CODE_SYSTEMS } from '../domain/coding/code-system.ts';
import { type Answer, emptyAsAbsent, ONCE_RULE, timestamp } from './fields.ts';

const SYSTEM_RULE = `must be one of ${CODE_SYSTEMS.join(', ')}`;
const systemName = z
  .enum(CODE_SYSTEMS, { error: SYSTEM_RULE })
  .meta({ description: 'Code system of the list.', examples: ['icd-10-cm'] });

export const codesPath = z.object({ system: systemName });

const VERSION_RULE = 'must be 1 to 60 characters without control characters';
export const codesQuery = z.strictObject({
  version: emptyAsAbsent(
    z
      .string({ error: ONCE_RULE })
      .trim()
      .min(1, { error: VERSION_RULE })
      .max(60, { error: VERSION_RULE })
      .refine((value) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value), { error: VERSION_RULE })
      .optional()
      .meta({ description: 'Version of the list; required unless the file says it (ClaML).', examples: ['2026'] }),
  ),
});

const listFields = {
  system: systemName,
  version: z.string().meta({ description: 'As the publisher names it; it becomes `coding.version`.' }),
  count: z.int().min(1).meta({ description: 'Number of codes.' }),
  categories: z.int().min(0).meta({ description: 'How many of them are categories above billable codes.' }),
  importedAt: timestamp('Time of the import.'),
  sha256: z.string().meta({ description: 'Hash of the file.' }),
};

const exampleList = {
  system: 'icd-10-cm' as const,
  version: '2026',
  count: 98_186,
  categories: 23_467,
  importedAt: '2026-11-21T08:00:00.000Z',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

export const codeListsResponse = z
  .object({ lists: z.array(z.object(listFields)) })
  .meta({ id: 'CodeLists', examples: [{ lists: [exampleList] }] });

export const importedCodesResponse = z
  .object({
    ...listFields,
    skipped: z.int().min(0).meta({ description: 'Chapters, blocks and other rows of the file that are no codes.' }),
    ignoredModifiers: z
      .int()
      .min(0)
      .meta({ description: 'Optional further characters of categories (site, activity) that are not in the list.' }),
  })
  .meta({ id: 'ImportedCodes', examples: [{ ...exampleList, skipped: 0, ignoredModifiers: 0 }] });

export type CodeListsAnswer = Answer<typeof codeListsResponse>;
export type CodeListAnswer = CodeListsAnswer['lists'][number];
export type ImportedCodesAnswer = Answer<typeof importedCodesResponse>;
