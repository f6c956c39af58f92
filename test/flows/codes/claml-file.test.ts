// The ICD-10 of the WHO as ClaML, and hostile XML.
import { describe, expect, it } from '@jest/globals';
import { readClaml } from '../../../src/flows/codes/claml-file.ts';
import { XmlEvents } from '../../../src/flows/codes/xml-events.ts';
import { fc } from '../../support/fast-check.ts';
import { codeFile, inPieces, readAll } from './code-files.ts';

const read = (text: string | Uint8Array, size?: number) => readAll(readClaml, inPieces(text, size));
const category = (code: string, name: string) =>
  `<Class code="${code}" kind="category"><Rubric kind="preferred"><Label>${name}</Label></Rubric></Class>`;
const claml = (inner: string, head = '') =>
  `${head}<ClaML version="3.0.0"><Title name="x" version="2019"/>${inner}</ClaML>`;

describe('ICD-10 as ClaML', () => {
  it.each([1, 13, 65_536])(
    'gives categories, their names and the fourth characters of modifiers, in pieces of %i bytes',
    async (size) => {
      expect(await read(await codeFile('icd10-claml.xml'), size)).toEqual({
        codes: [
          { code: 'E11', display: 'Type 2 diabetes mellitus', isBillable: false },
          { code: 'E11.0', display: 'Type 2 diabetes mellitus: With coma', isBillable: true },
          { code: 'E11.9', display: 'Type 2 diabetes mellitus: Without complications', isBillable: true },
          { code: 'E12', display: 'Malnutrition & diabetes', isBillable: true },
          { code: 'A17', display: 'Tuberculosis of nervous system', isBillable: false },
          { code: 'A17.0', display: 'Tuberculous meningitis', isBillable: true },
          { code: 'M45', display: 'Ankylosing spondylitis of any site', isBillable: true },
        ],
        summary: { version: '2019', skipped: 2, ignoredModifiers: 1 },
      });
    },
  );

  it('takes its date for the version if it names no other', async () => {
    const { summary } = await read('<ClaML><Title name="x" date="2019-04-01"/></ClaML>');
    expect(summary.version).toBe('2019-04-01');
  });

  it('is read in ISO-8859-1 where its declaration says so', async () => {
    const text = claml(
      category('K50', 'Maladie de Crohn, évoluée &#233; &lt;'),
      '<?xml version="1.0" encoding="ISO-8859-1"?>\n',
    );
    const { codes } = await read(Buffer.from(text, 'latin1'));
    expect(codes).toEqual([{ code: 'K50', display: 'Maladie de Crohn, évoluée é <', isBillable: true }]);
  });

  it('ends where its classes are above each other in a circle', async () => {
    const circle = (code: string, parent: string) =>
      `<Class code="${code}" kind="category"><SuperClass code="${parent}"/><Rubric kind="preferred"><Label>x</Label></Rubric></Class>`;
    const { codes } = await read(claml(`${circle('A00', 'A01')}${circle('A01', 'A00')}${category('A02', 'y')}`));
    expect(codes).toHaveLength(3);
  });

  const BOMB = `<!DOCTYPE ClaML [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>`;
  it.each([
    [
      'entities of its own',
      claml(category('A00', '&b;'), BOMB),
      'Line 1: it declares entities or parts of a DTD, which are not read.',
    ],
    [
      'an external entity',
      claml('', '<!DOCTYPE ClaML [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
      'Line 1: it declares entities',
    ],
    ['a declaration of an entity in the middle', claml('<!ENTITY a "b">'), 'Line 1: it declares entities'],
    [
      'an entity that XML does not define',
      claml(category('A00', 'a&nbsp;b')),
      'Line 1: it uses an entity that XML does not define.',
    ],
    ['a bare ampersand', claml(category('A00', 'Salt & water')), 'Line 1: it uses an entity'],
    ['a character that is none', claml(category('A00', '&#0;')), 'Line 1: it uses an entity'],
    ['a cut end', claml(category('A00', 'Cholera')).slice(0, -4), 'The file ends in the middle'],
    ['a comment that does not end', `${claml('')}<!-- `, 'The file ends in the middle'],
    ['tags that do not fit', '<ClaML><Class></ClaML></Class>', 'Line 1: a tag is closed that is not open'],
    ['two roots', `${claml('')}\n${claml('')}`, 'Line 2: there is a second root element.'],
    ['another root', '<html><body/></html>', 'The file is no ClaML'],
    ['text in front', 'hello <ClaML/>', 'Line 1: there is text outside of the XML'],
    ['attributes without quotes', '<ClaML version=2/>', 'Line 1: a tag is damaged.'],
    ['deep nesting', `<ClaML>${'<Para>'.repeat(1_000)}`, 'Line 1: elements are nested more than 100 deep.'],
    ['an endless tag', `<ClaML ${'a'.repeat(100_000)}`, 'Line 1: a tag is longer than 65536 characters.'],
    ['an endless name', claml(category('A00', 'a'.repeat(20_000))), 'A name is longer than 10000 characters.'],
    [
      'a category without a name',
      claml('<Class code="A00" kind="category"/>'),
      'The category A00 has no preferred name.',
    ],
    [
      'an encoding that is not read',
      '<?xml version="1.0" encoding="UTF-7"?><ClaML/>',
      'The encoding of the XML must be UTF-8',
    ],
    [
      'bytes that are not of its encoding',
      Buffer.from(claml(category('A00', 'Chol\u00e9ra')), 'latin1'),
      'The file is not encoded as',
    ],
  ])('is refused with %s', async (_, text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'invalidRequest',
      message: expect.stringContaining(message),
    });
  });

  it('gives the same events however it is cut into pieces', () => {
    const text = claml(
      `<!-- a > b --><?x y?>${category('A00', 'a &amp; b <![CDATA[<c>]]> &#x41;')}`,
      '<!DOCTYPE ClaML SYSTEM "ClaML.dtd">',
    );
    const eventsOf = (pieces: readonly string[]) => {
      const xml = new XmlEvents();
      const events = pieces.flatMap((piece) => [...xml.write(piece)]);
      xml.end();
      const texts = events.map((event) => (event.kind === 'text' ? event.text : `<${event.kind} ${event.name}>`));
      return texts.join('');
    };
    const whole = eventsOf([text]);
    expect(whole).toContain('a & b <c> A');
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (cuts) => {
        const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        const pieces = places.slice(1).map((to, index) => text.slice(places[index], to));
        expect(eventsOf(pieces)).toBe(whole);
      }),
    );
  });
});
