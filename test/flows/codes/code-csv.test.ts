// CIE-10-ES as CSV.
import { describe, expect, it } from '@jest/globals';
import { readCodeCsv } from '../../../src/flows/codes/code-csv.ts';
import { codeFile, inPieces, readAll } from './code-files.ts';

const read = (text: string | Uint8Array, size?: number) => readAll(readCodeCsv, inPieces(text, size));

describe('CIE-10-ES as CSV', () => {
  it.each([1, 65_536])(
    'gives codes and names by its header, and counts what is no disease, in pieces of %i bytes',
    async (size) => {
      expect(await read(await codeFile('cie10es-utf8.csv'), size)).toEqual({
        codes: [
          { code: 'A00', display: 'Cólera', isBillable: false },
          { code: 'A00.0', display: 'Cólera debido a Vibrio cholerae 01, biotipo cholerae', isBillable: true },
          {
            code: 'G43.909',
            display: 'Migraña, no especificada, no refractaria; "sin" estado migrañoso',
            isBillable: true,
          },
        ],
        summary: { skipped: 3 },
      });
    },
  );

  it('is read with commas, in Latin-1 and with English column names', async () => {
    expect(await read(await codeFile('cie10es-latin1.csv'))).toEqual({
      codes: [
        { code: 'A00', display: 'Cólera' },
        { code: 'J00', display: 'Rinofaringitis aguda, resfriado común' },
      ],
      summary: { skipped: 0 },
    });
  });

  it.each([
    'CODIGO\tDESCRIPCION\nA000\tCólera\n',
    '\uFEFFcód.;Descripción larga\r\na00.0;Cólera\r\n',
    'Orden;Código CIE-10-ES;Denominación\n1;A00.0;Cólera',
    '"Diagnóstico","Literal"\n"A00.0","Cól\nera"',
  ])('finds its columns in %j', async (text) => {
    const { codes } = await read(text);
    expect(codes).toEqual([{ code: 'A00.0', display: expect.stringMatching(/^Cól ?era$/) }]);
  });

  it('names the columns that were found if the right ones are missing', async () => {
    await expect(read('Clave;Texto;Año\nA00;Cólera;2024\n')).rejects.toMatchObject({
      code: 'invalidRequest',
      message:
        'The first line must name the columns: one Código (or Code), one Descripción (or Description). It names "Clave", "Texto", "Año"',
    });
  });

  it.each([
    [
      'a row whose code is none',
      'Code;Description\nA00;Cólera\nCólera;A00\n',
      'Line 3: the column of codes holds no code of ICD-10.',
    ],
    [
      'a row without a name',
      'Code;Description\nA00;\n',
      'Line 2: the code has no description, or one that is too long.',
    ],
    [
      'a row that is cut off',
      'Code;Description\nA00;Cólera\nA01',
      'Line 3: the code has no description, or one that is too long.',
    ],
    [
      'a quote that is not closed',
      `Code;Description\nA00;"Cólera\n${'A01;Tifus\n'.repeat(100)}`,
      'Line 2: a quote is not closed.',
    ],
    ['a quote that is not closed at the end', 'Code;Description\nA00;"Cólera', 'Line 2: a quote is not closed.'],
    [
      'a name of thousands of characters',
      `Code;Description\nA00;${'x'.repeat(5_000)}`,
      'Line 2: the code has no description, or one that is too long.',
    ],
  ])('is refused with %s', async (_, text, message) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'invalidRequest', message });
  });
});
