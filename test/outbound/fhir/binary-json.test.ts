import { describe, expect, it } from '@jest/globals';
import { readBinaryJson } from '../../../src/outbound/fhir/binary-json.ts';
import { fc } from '../../support/fast-check.ts';
import { pieces } from '../../support/local-servers.ts';

const SOUND = Buffer.from('RIFF????WAVE>>> sound ~~~ \xff\xfe\xfd', 'latin1');
const BASE64 = SOUND.toString('base64');

async function read(chunks: readonly (string | Uint8Array)[]): Promise<Buffer> {
  const decoded: Uint8Array[] = [];
  for await (const piece of readBinaryJson(bytesOf(chunks))) decoded.push(piece);
  return Buffer.concat(decoded);
}

async function* bytesOf(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for await (const chunk of pieces(chunks)) yield Buffer.from(chunk as Uint8Array);
}

function aBinary(data: string): string {
  return `{"resourceType":"Binary","id":"b-1","contentType":"audio/wav","data":"${data}"}`;
}

/** Cuts the bytes at these places, each taken modulo their length. */
function cut(bytes: Buffer, places: readonly number[]): Uint8Array[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((start, index) => bytes.subarray(start, sorted[index] ?? bytes.length));
}

describe('The bytes of a Binary in JSON', () => {
  it.each([
    ['as servers write it', aBinary(BASE64)],
    ['with the data before everything else', `{"data":"${BASE64}","resourceType":"Binary"}`],
    ['with white space between all tokens', `\n{ "resourceType" : "Binary" ,\t"data" : "${BASE64}" }\r\n`],
    ['after a byte order mark', `\ufeff${aBinary(BASE64)}`],
    ['with slashes escaped', aBinary(BASE64.replaceAll('/', '\\/'))],
    ['with pluses, slashes and padding as escapes', aBinary(escaped(BASE64))],
    ['in lines', aBinary(BASE64.replace(/.{8}/g, '$&\\r\\n'))],
    ['with the name of the member as escapes', `{"resourceType":"Binary","d\\u0061ta":"${BASE64}"}`],
    [
      'with another member of that name deeper before it',
      `{"meta":{"data":"AAAA","x":[{"data":"BBBB"}]},"resourceType":"Binary","data":"${BASE64}"}`,
    ],
    [
      'with the name in a value before it',
      `{"id":"data","resourceType":"Binary","language":"\\"data\\":\\"AAAA\\"","data":"${BASE64}"}`,
    ],
    ['with a text that ends in a backslash before it', `{"resourceType":"Binary","id":"x\\\\","data":"${BASE64}"}`],
    ['with braces and commas in texts before it', `{"resourceType":"Binary","id":"}],{:","data":"${BASE64}"}`],
    ['with letters outside of ASCII', `{"resourceType":"Binary","language":"português ☤","data":"${BASE64}"}`],
    [
      'with more after the data',
      `{"resourceType":"Binary","data":"${BASE64}","meta":{"tag":[{"code":"data"}]},"x":[1,null,true]}`,
    ],
  ])('are read from a Binary %s', async (_, json) => {
    expect(await read([json])).toEqual(SOUND);
  });

  it('are none if the data is an empty text', async () => {
    expect(await read([aBinary('')])).toEqual(Buffer.alloc(0));
  });

  it('are the same however the network cuts them', async () => {
    const manner = fc.constantFrom<(base64: string) => string>(
      (base64) => base64,
      (base64) => base64.replaceAll('/', '\\/'),
      escaped,
      (base64) => base64.replace(/.{5}/g, '$&\\n'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        manner,
        fc.boolean(),
        fc.array(fc.nat(2000), { maxLength: 40 }),
        async (sound, write, isFirst, places) => {
          const data = `"data":"${write(Buffer.from(sound).toString('base64'))}"`;
          const around = '"resourceType":"Binary","meta":{"data":"x\\"}é"}';
          const json = Buffer.from(isFirst ? `{${data},${around}}` : `{${around},${data}}`);
          expect(await read(cut(json, places))).toEqual(Buffer.from(sound));
          expect(await read([...json].map((byte) => Uint8Array.of(byte)))).toEqual(Buffer.from(sound));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('are returned while they arrive, without a wait for the end', async () => {
    const given: string[] = [];
    const asks = (async function* () {
      for (const chunk of [`{"resourceType":"Binary","data":"UklG`, `RldB`, `VkU=`, `"}`]) {
        given.push(chunk);
        yield Buffer.from(chunk);
      }
    })();
    const reading = readBinaryJson(asks);
    expect(Buffer.from((await reading.next()).value ?? []).toString()).toBe('RIF');
    expect(given).toHaveLength(1);
    await reading.return();
  });
});

describe('An answer that is not a Binary with data', () => {
  it.each([
    ['another resource', '{"resourceType":"OperationOutcome","issue":[]}'],
    ['another resource with data', `{"resourceType":"Media","data":"${BASE64}"}`],
    ['a Binary without data', '{"resourceType":"Binary","contentType":"audio/wav"}'],
    ['a Binary whose data is not a text', '{"resourceType":"Binary","data":null}'],
    ['a Binary whose data is a list of texts', `{"resourceType":"Binary","data":["${BASE64}"]}`],
    ['a Binary with repeated data', `{"resourceType":"Binary","data":"${BASE64}","data":"${BASE64}"}`],
    ['a list', `["data","${BASE64}"]`],
    ['a text', '"data"'],
    ['no bytes', ''],
    ['a page', '<html><body>Please log in</body></html>'],
    ['a Binary with a comma too many', `{"resourceType":"Binary","data":"${BASE64}",}`],
    ['a Binary followed by more', `${aBinary(BASE64)}{}`],
    ['data with an invalid character', aBinary('UklG*klG')],
    ['data in the base64 alphabet for URLs', aBinary('UklG-_lG')],
    ['data without its padding', aBinary('UklGRg')],
    ['data that continues after its padding', aBinary('UklGRg==UklG')],
    ['data with padding in the middle of a group', aBinary('Uk=GRklG')],
    ['data with an escaped quotation mark', aBinary('UklG\\"klG')],
    ['data with an escaped backslash', aBinary('UklG\\\\klG')],
    ['data whose last quotation mark is escaped', '{"resourceType":"Binary","data":"UklG\\","id":"b-1"}'],
    ['data that ends in a backslash', `{"resourceType":"Binary","data":"UklG\\`],
  ])('is refused: %s', async (_, json) => {
    await expect(read([json])).rejects.toMatchObject({ code: 'ehrAnswer' });
    await expect(read([...json].map((letter) => letter))).rejects.toMatchObject({ code: 'ehrAnswer' });
  });

  it('is refused if it is cut, at any place', async () => {
    const whole = Buffer.from(`{"resourceType":"Binary","data":"${BASE64}","meta":{"versionId":"1"}}`);
    for (let length = 0; length < whole.length; length += 1) {
      await expect(read([whole.subarray(0, length)])).rejects.toMatchObject({ code: 'ehrAnswer' });
    }
  });

  it('is refused if it has no end, long before it fills the memory', async () => {
    let asked = 0;
    const endless = (async function* () {
      yield Buffer.from('{"resourceType":"Binary","meta":[');
      for (; ; asked += 1) yield Buffer.alloc(65_536, '1,');
    })();
    const reading = readBinaryJson(endless);
    await expect(reading.next()).rejects.toMatchObject({ code: 'ehrAnswer' });
    expect(asked).toBeLessThan(8);
  });

  it('is refused with an error that quotes nothing of it', async () => {
    await expect(read(['{"resourceType":"Binary","data":"Jane*"}'])).rejects.not.toThrow(/Jane/);
  });

  it('fails with the error of a broken connection', async () => {
    const broken = (async function* () {
      yield Buffer.from('{"resourceType":"Binary","data":"UklG');
      throw new Error('reset');
    })();
    const reading = readBinaryJson(broken);
    await reading.next();
    await expect(reading.next()).rejects.toThrow('reset');
  });
});

function escaped(base64: string): string {
  return base64.replaceAll('+', '\\u002b').replaceAll('/', '\\u002F').replaceAll('=', '\\u003d');
}
