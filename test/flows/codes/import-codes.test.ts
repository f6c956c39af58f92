// Imports of official lists, from a file to the store.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { CodeSystem } from '../../../src/domain/coding/code-system.ts';
import { makeManageCodes } from '../../../src/flows/codes/import-codes.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakeCodeLists } from '../../fakes/code-lists.ts';
import { OPERATOR } from '../../support/access.ts';
import { codeFile, inPieces } from './code-files.ts';

const ORDER_LINE = `00001 A000    1 ${'Cholera'.padEnd(60)} Cholera due to Vibrio cholerae 01\n`;

function aHospital() {
  const codes = makeFakeCodeLists({ now: () => new Date('2026-03-02T10:00:00Z') });
  const audit = makeFakeAudit();
  return { codes, audit, manage: makeManageCodes({ codes, audit }) };
}

function order(system: CodeSystem, bytes: Uint8Array | string, version?: string) {
  return { access: OPERATOR, system, bytes: inPieces(bytes), ...(version !== undefined && { version }) };
}

describe('An import of official codes', () => {
  it.each([
    ['icd-10-cm', 'icd10cm-order.txt', '2026', { version: '2026', count: 5, categories: 1 }, 0],
    ['icd-10', 'icd10-claml.xml', undefined, { version: '2019', count: 7, categories: 2 }, 2],
    ['cie-10-es', 'cie10es-utf8.csv', '2026', { version: '2026', count: 3, categories: 1 }, 3],
  ] as const)(
    'stores %s from %s with its version and the hash of the file',
    async (system, name, version, list, skipped) => {
      const { codes, audit, manage } = aHospital();
      const imported = await manage.import(order(system, await codeFile(name), version));
      expect(imported).toMatchObject({
        list: { system, ...list, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        skipped,
      });
      expect(await manage.list()).toEqual([imported.list]);
      expect(await codes.find(system, ['A00.0'])).toMatchObject({ version: list.version });
      const { entries } = await audit.list({ scope: 'all', limit: 10 });
      expect(entries).toMatchObject([
        {
          action: 'codes.import',
          actor: 'operator',
          details: { system, version: list.version, count: list.count, skipped, sha256: imported.list.sha256 },
        },
      ]);
    },
  );

  it.each([
    ['a zip archive', Buffer.from('PK\u0003\u0004....'), /zip archive or an Excel workbook.*Unpack it/],
    ['a gzip file', gzipSync(ORDER_LINE), /compressed \(gzip\)/],
    ['an old Excel file', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), /Save it as CSV/],
    ['UTF-16', Buffer.from(`\uFEFF${ORDER_LINE}`, 'utf16le'), /UTF-16/],
    ['an empty file', '', /The file is empty/],
    ['blank lines', '\n\n', /The file has no codes/],
    ['one code with two names', `${ORDER_LINE}${ORDER_LINE.replaceAll('01', '02')}`, /has the code A00\.0 twice/],
  ])('refuses %s, keeps the old list and records nothing', async (_, bytes, message) => {
    const { codes, audit, manage } = aHospital();
    await manage.import(order('icd-10-cm', await codeFile('icd10cm-order.txt'), '2025'));
    const refused = manage.import(order('icd-10-cm', bytes, '2026'));
    await expect(refused).rejects.toMatchObject({ code: 'invalidRequest', message: expect.stringMatching(message) });
    expect(await codes.find('icd-10-cm', ['M35.00'])).toMatchObject({ version: '2025' });
    expect((await audit.list({ scope: 'all', limit: 10 })).entries).toHaveLength(1);
  });

  it('counts a line that is there twice as one code', async () => {
    const { manage } = aHospital();
    expect(await manage.import(order('icd-10-cm', `${ORDER_LINE}${ORDER_LINE}`, '2026'))).toMatchObject({
      list: { count: 1 },
    });
  });

  it('asks for a version where the file does not say it, before it reads the file', async () => {
    const { manage } = aHospital();
    let isRead = false;
    async function* bytes(): AsyncGenerator<Uint8Array> {
      isRead = true;
      yield Buffer.from(ORDER_LINE);
    }
    for (const system of ['icd-10-cm', 'cie-10-es'] as const) {
      await expect(manage.import({ access: OPERATOR, system, bytes: bytes() })).rejects.toMatchObject({
        message: expect.stringContaining('--version 2026'),
      });
    }
    expect(isRead).toBe(false);
  });

  it('refuses a version that the file contradicts', async () => {
    const { manage } = aHospital();
    const refused = manage.import(order('icd-10', await codeFile('icd10-claml.xml'), '2016'));
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining('another version') });
  });

  it('that breaks off leaves the old list, and the next one is not refused', async () => {
    const { codes, manage } = aHospital();
    await manage.import(order('icd-10-cm', await codeFile('icd10cm-order.txt'), '2025'));
    async function* cut(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(ORDER_LINE);
      throw new Error('the connection is gone');
    }
    await expect(
      manage.import({ access: OPERATOR, system: 'icd-10-cm', version: '2026', bytes: cut() }),
    ).rejects.toThrow('the connection is gone');
    expect(await codes.find('icd-10-cm', ['M35.00'])).toMatchObject({ version: '2025' });
    expect(await manage.import(order('icd-10-cm', ORDER_LINE, '2026'))).toMatchObject({ list: { version: '2026' } });
  });

  it('is refused while another one is at work', async () => {
    const { manage } = aHospital();
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* slow(): AsyncGenerator<Uint8Array> {
      begun.resolve();
      await released.promise;
      yield Buffer.from(ORDER_LINE);
    }
    const first = manage.import({ access: OPERATOR, system: 'icd-10-cm', version: '2026', bytes: slow() });
    await begun.promise;
    await expect(manage.import(order('icd-10-cm', ORDER_LINE, '2026'))).rejects.toMatchObject({ code: 'inUse' });
    released.resolve();
    expect(await first).toMatchObject({ list: { count: 1 } });
  });

  it('replaces nothing if the audit trail does not take its entry', async () => {
    const codes = makeFakeCodeLists();
    const audit = { append: () => Promise.reject(new Error('the trail is full')) };
    const { import: importCodes, list } = makeManageCodes({ codes, audit });
    await expect(importCodes(order('icd-10-cm', ORDER_LINE, '2026'))).rejects.toThrow('the trail is full');
    expect(await list()).toEqual([]);
  });
});
