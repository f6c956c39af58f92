// The order file of ICD-10-CM, and lines in general.
import { describe, expect, it } from '@jest/globals';
import { readOrderFile } from '../../../src/flows/codes/cms-order-file.ts';
import { codeFile, inPieces, readAll } from './code-files.ts';

const LINE = `00001 A000    1 ${'Cholera, short'.padEnd(60)} Cholera due to Vibrio cholerae 01`;

describe('the order file of ICD-10-CM', () => {
  it.each([1, 7, 65_536])(
    'gives codes with dots, long titles and what is billable, read in pieces of %i bytes',
    async (size) => {
      const { codes } = await readAll(readOrderFile, inPieces(await codeFile('icd10cm-order.txt'), size));
      expect(codes).toEqual([
        { code: 'A00', display: 'Cholera', isBillable: false },
        { code: 'A00.0', display: 'Cholera due to Vibrio cholerae 01, biovar cholerae', isBillable: true },
        {
          code: 'G43.909',
          display: 'Migraine, unspecified, not intractable, without status migrainosus',
          isBillable: true,
        },
        { code: 'M35.00', display: 'Sjögren syndrome, unspecified', isBillable: true },
        { code: 'S06.0X0A', display: 'Concussion without loss of consciousness, initial encounter', isBillable: true },
      ]);
    },
  );

  it('keeps the long title whole if the columns of its line are counted in bytes', async () => {
    const short = 'Sjögren syndrome'.padEnd(59);
    const { codes } = await readAll(
      readOrderFile,
      inPieces(`00001 M3500   1 ${short} Sjögren syndrome, unspecified\n`),
    );
    expect(codes).toMatchObject([{ code: 'M35.00', display: 'Sjögren syndrome, unspecified' }]);
  });

  it('is read in Latin-1 as well', async () => {
    const { codes } = await readAll(readOrderFile, inPieces(Buffer.from(LINE.replace(/01$/, 'é'), 'latin1')));
    expect(codes).toMatchObject([{ display: 'Cholera due to Vibrio cholerae é' }]);
  });

  it.each([
    [
      'the file of codes without columns',
      'A000    Cholera due to Vibrio cholerae 01\n',
      'Line 1: it does not have the columns',
    ],
    ['a line that is cut off', `${LINE}\n${LINE.slice(0, 70)}`, 'Line 2: it does not have the columns'],
    ['columns that are moved', LINE.replace('A000    1', 'A000   1'), 'Line 1: it does not have the columns'],
    ['a code of another form', LINE.replace('A000', '1000'), 'Line 1: it does not have the columns'],
    [
      'characters of two encodings',
      Buffer.concat([Buffer.from(`${LINE} é\n`), Buffer.from(`${LINE} é`, 'latin1')]),
      'Line 2: its characters',
    ],
    ['a text with NUL characters', `${LINE}\0\n`, 'Line 1: it has NUL characters'],
  ])('is refused with %s, by the number of the line and without its text', async (_, text, message) => {
    const failure = await readAll(readOrderFile, inPieces(text)).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'invalidRequest', message: expect.stringContaining(message) });
    expect(String(failure)).not.toContain('Cholera');
  });

  it('with a line of a gigabyte is refused after its first kilobytes', async () => {
    let pieces = 0;
    const piece = new Uint8Array(65_536).fill(65);
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; pieces < 16_384; pieces++) yield piece;
    }
    await expect(readAll(readOrderFile, endless())).rejects.toMatchObject({
      code: 'invalidRequest',
      message: 'Line 1: it is longer than 16384 bytes.',
    });
    expect(pieces).toBeLessThan(3);
  });
});
