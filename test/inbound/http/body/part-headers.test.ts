import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import { fileLabel, readPartHeaders } from '../../../../src/inbound/http/body/part-headers.ts';
import { fc } from '../../../support/fast-check.ts';

/** Header values as received: one character per byte. */
function disposition(value: string, more: Record<string, readonly string[]> = {}) {
  return { 'content-disposition': [Buffer.from(value).toString('latin1')], ...more };
}

describe('the headers of a form part', () => {
  it.each<[string, string, string, string | undefined]>([
    ['a field', 'form-data; name="language"', 'language', undefined],
    ['a field without quotes', 'form-data; name=language', 'language', undefined],
    ['a file', 'form-data; name="files"; filename="a b.pdf"', 'files', 'a b.pdf'],
    ['a file with its parameters in another order', 'form-data; filename="a.pdf"; name="files"', 'files', 'a.pdf'],
    ['a file with non-ASCII letters', 'form-data; name="files"; filename="Größe 😀.pdf"', 'files', 'Größe 😀.pdf'],
    ['a file with quotes', 'form-data; name="files"; filename="a \\"b\\".pdf"', 'files', 'a "b".pdf'],
    ['a file with a Windows path', 'form-data; name="files"; filename="C:\\x\\a.pdf"', 'files', 'C:\\x\\a.pdf'],
    [
      'a file with a name as in RFC 5987',
      'form-data; name="files"; filename*=UTF-8\'\'%e2%82%ac.pdf',
      'files',
      '€.pdf',
    ],
    ['an empty file input', 'form-data; name="files"; filename=""', 'files', ''],
  ])('are read: %s', (_title, value, name, fileName) => {
    expect(readPartHeaders(disposition(value))).toEqual({ name, fileName });
  });

  it('mean a file if there are bytes without a name', () => {
    const headers = disposition('form-data; name="file"', { 'content-type': ['application/octet-stream'] });
    expect(readPartHeaders(headers).fileName).toBe('blob');
  });

  it.each([
    ['utf-8', 'text/plain; charset=UTF-8'],
    ['us-ascii', 'text/plain; charset=us-ascii'],
    ['no', 'application/json'],
  ])('may name %s charset', (_title, type) => {
    expect(readPartHeaders(disposition('form-data; name="a"', { 'content-type': [type] })).name).toBe('a');
  });

  it.each<[string, Record<string, readonly string[]>]>([
    ['no Content-Disposition', {}],
    ['another disposition', disposition('attachment; name="a"')],
    ['two dispositions', { 'content-disposition': ['form-data; name="a"', 'form-data; name="b"'] }],
    ['no name', disposition('form-data; filename="a"')],
    ['an empty name', disposition('form-data; name=""')],
    ['two names', disposition('form-data; name="a"; name="b"')],
    ['an unterminated name', disposition('form-data; name="a')],
    ['a name that is not UTF-8', { 'content-disposition': ['form-data; name="\xff"'] }],
    ['NUL in its name', disposition('form-data; name="a\0b"')],
    ['a name of 201 characters', disposition(`form-data; name="${'a'.repeat(201)}"`)],
    ['charset latin1', disposition('form-data; name="a"', { 'content-type': ['text/plain; charset=latin1'] })],
    ['charset utf-7', disposition('form-data; name="a"', { 'content-type': ['text/plain; charset="utf-7"'] })],
    ['base64', disposition('form-data; name="a"', { 'content-transfer-encoding': ['Base64'] })],
    ['parts of its own', disposition('form-data; name="a"', { 'content-type': ['multipart/mixed; boundary=b'] })],
    ['a malformed type', disposition('form-data; name="a"', { 'content-type': ['text/plain; charset="'] })],
    ['33 headers', disposition('form-data; name="a"', { 'x-many': Array.from({ length: 32 }, () => 'x') })],
    ['over 8 KiB of headers', disposition('form-data; name="a"', { 'x-long': ['x'.repeat(8_192)] })],
  ])('are refused with %s', (_title, headers) => {
    expect(() => readPartHeaders(headers)).toThrow(expect.objectContaining({ code: 'invalidRequest' }));
  });

  it('are either read or refused as invalid, whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (value, type) => {
        try {
          readPartHeaders(disposition(`form-data; name="a"${value}`, { 'content-type': [type] }));
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(AppError);
        }
      }),
    );
  });
});

describe('the label of a file', () => {
  it.each([
    ['scan.pdf', 'scan.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\x\\scan.pdf', 'scan.pdf'],
    ['.htaccess', '.htaccess'],
    ['a\0b\r\nc\u202Efdp.exe', 'abcfdp.exe'],
    ['a\u200B\uFEFF\u2066b\u{E0041}.pdf', 'ab.pdf'],
    ['  two   words .pdf ', 'two words .pdf'],
    ['..', 'file 2'],
    ['dir/', 'file 2'],
    ['', 'file 2'],
    ['\u200B', 'file 2'],
    [undefined, 'file 2'],
  ])('of %j is %j', (name, label) => {
    expect(fileLabel(name, 1)).toBe(label);
  });

  it('has at most 100 characters and splits none of them', () => {
    expect(fileLabel('😀'.repeat(4_000), 0)).toBe('😀'.repeat(100));
  });
});
