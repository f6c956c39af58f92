// Hostile keys and malformed JSON, sent to a whole engine.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { field, formBytes } from '../inbound/http/body/form-bytes.ts';
import {
  AUDIO_PATHS,
  ENDPOINTS,
  FILES_PATHS,
  formPieces,
  goodParts,
  HISTORY,
  head,
  JSON_PATHS,
  JSON_TYPE,
  jsonPieces,
  openTarget,
} from '../support/journey-hostile.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const target = openedForFile(openTarget);

const MEBIBYTE = 1_048_576;
const GOOD_JSON = JSON.stringify({ clinical_history: HISTORY });
const NO_BODY = 'Content-Length: 0';

describe('hostile keys', () => {
  it.each(ENDPOINTS)('a request without x-api-key is 401 with WWW-Authenticate at %s', async (endpoint) => {
    const { headers, body } = await target.expectRefusal(401, head(endpoint, NO_BODY));
    expect(headers.get('www-authenticate')).toBe('ApiKey');
    expect(JSON.parse(body)).not.toHaveProperty('error');
  });

  it('keys that are empty, of 10 KB, non-ASCII, of another id, or with a wrong secret are all 401 with the same message', async () => {
    const missing = await target.expectRefusal(401, head('POST /diagnose', NO_BODY));
    const wrongKeys = [
      '',
      'a'.repeat(10_000),
      'cl\xe9',
      `cw_${'0'.repeat(16)}${target.key.slice(19)}`,
      `${target.key.slice(0, -4)}AAAA`,
      ` ${target.key.toUpperCase()}`,
    ];
    for (const key of wrongKeys) {
      const answer = await target.expectRefusal(401, head('POST /diagnose', `x-api-key: ${key}`, NO_BODY));
      expect(answer.body).toBe(missing.body);
    }
  });

  it('a revoked key is 401', async () => {
    const key = await target.engine.makeKey();
    expect((await target.send(...jsonPieces({ path: '/diagnose', key }, GOOD_JSON))).status).toBe(200);
    await target.engine.ops('DELETE', `/keys/${key.split('_')[1]}`);
    await target.expectRefusal(401, ...jsonPieces({ path: '/diagnose', key }, GOOD_JSON));
  });

  it('a key whose overlap has ended is 401, and its successor is valid', async () => {
    const old = await target.engine.makeKey();
    const rotated = await target.engine.ops('POST', `/keys/${old.split('_')[1]}/rotate`, { overlapHours: 0 });
    await target.expectRefusal(401, ...jsonPieces({ path: '/diagnose', key: old }, GOOD_JSON));
    const { key } = rotated as { readonly key: string };
    expect((await target.send(...jsonPieces({ path: '/diagnose', key }, GOOD_JSON))).status).toBe(200);
  });

  it.each(ENDPOINTS)('a key in the query string is 400 at %s', async (endpoint) => {
    const { body } = await target.expectRefusal(400, head(`${endpoint}?x-api-key=${target.key}`, NO_BODY));
    expect(body).not.toContain(target.key);
    await target.expectRefusal(400, head(`${endpoint}?api_key=${target.key}`, `x-api-key: ${target.key}`, NO_BODY));
    expect(target.engine.output().stderr).not.toContain(target.key);
  });

  it.each(ENDPOINTS)('two x-api-key headers are 401 at %s, also if both are valid', async (endpoint) => {
    const header = `x-api-key: ${target.key}`;
    await target.expectRefusal(401, head(endpoint, header, header, NO_BODY));
  });

  it('a session of another organization, or of another key, is 401 and remains usable', async () => {
    const prepared = await target.send(
      ...formPieces({ path: '/diagnose/stream/files', key: target.key }, formBytes(goodParts('/diagnose'))),
    );
    const { streamUrl } = JSON.parse(prepared.body) as { readonly streamUrl: string };
    const foreign = [await target.engine.makeKey({ organization: 'other-clinic' }), await target.engine.makeKey()];
    for (const key of foreign) await target.expectRefusal(401, head(`GET ${streamUrl}`, `x-api-key: ${key}`));
    await target.expectRefusal(401, head(`GET ${streamUrl}`));
    expect((await target.send(head(`GET ${streamUrl}`, `x-api-key: ${target.key}`))).status).toBe(200);
    await target.expectRefusal(404, head(`GET ${streamUrl}`, `x-api-key: ${target.key}`));
  });

  it('an organization in the body is ignored: usage counts for the key', async () => {
    const organization = 'body-clinic';
    const key = await target.engine.makeKey({ organization });
    const body = JSON.stringify({ clinical_history: HISTORY, org_id: 'test-clinic', organization: 'test-clinic' });
    expect((await target.send(...jsonPieces({ path: '/diagnose', key }, body))).status).toBe(200);
    expect(await target.engine.ops('GET', `/usage?organization=${organization}`)).toMatchObject({
      usage: [{ organization, requests: 1 }],
    });
  });
});

/** Bodies that both JSON endpoints refuse with 400. */
const BAD_BODIES: readonly (readonly [string, string])[] = [
  ['malformed JSON', '{"clinical_history": '],
  ['JSON with a comma too many', '{"clinical_history": "a",}'],
  ['two JSON texts', `${GOOD_JSON}${GOOD_JSON}`],
  ['an array', `[${GOOD_JSON}]`],
  ['a string', JSON.stringify(HISTORY)],
  ['a number', '42'],
  ['null', 'null'],
  ['more than 1 MiB', JSON.stringify({ clinical_history: 'a'.repeat(MEBIBYTE) })],
  ['nesting of 100,000', `{"clinical_history": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['nesting of 65 in a field that is ignored', `{"x": ${'['.repeat(64)}${']'.repeat(64)}, "clinical_history": "a"}`],
  ['the key __proto__', '{"clinical_history": "a", "__proto__": {"language": "es"}}'],
  ['the key __proto__ in disguise', '{"clinical_history": "a", "__pro\\u0074o__": {"language": "es"}}'],
  ['the keys constructor and prototype', '{"clinical_history": "a", "constructor": {"prototype": {"a": 1}}}'],
  ['the same key twice', '{"clinical_history": "a", "clinical_history": "b"}'],
  ['the same key twice, in disguise', '{"clinical_history": "a", "clinical_\\u0068istory": "b"}'],
  ['the number 1e400 for a history', '{"clinical_history": 1e400}'],
  ['the number -0 for a language', '{"clinical_history": "a", "language": -0}'],
  ['2^53+1 for a language', '{"clinical_history": "a", "language": 9007199254740993}'],
  ['U+0000 in the history', '{"clinical_history": "a\\u0000b"}'],
  ['half a surrogate pair in the history', '{"clinical_history": "a\\ud800b"}'],
  ['a raw control character', '{"clinical_history": "a\u0001b"}'],
  ['U+0000 in a field that is ignored', '{"clinical_history": "a", "x": "\\u0000"}'],
  ['a language of a million characters', JSON.stringify({ clinical_history: 'a', language: 'e'.repeat(1_000_000) })],
  ['an empty body', ''],
  ['a body of white space', ' \n '],
  ['the language ../../x', '{"clinical_history": "a", "language": "../../x"}'],
  ['a language that is an object', '{"clinical_history": "a", "language": {"$ne": "en"}}'],
];

describe.each(JSON_PATHS)('hostile JSON at %s', (path) => {
  const to = (type?: string) => ({ path, key: target.key, ...(type !== undefined && { type }) });

  it.each(BAD_BODIES)('a JSON body with %s is 400', async (_name, body) => {
    const { messages } = await target.expectRefusal(400, ...jsonPieces(to(), body));
    expect(messages.length).toBeLessThan(500);
  });

  it('a gzip bomb of 50 MB in 49 KB is 400 before it is inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * MEBIBYTE, ' '));
    expect(bomb.length).toBeLessThan(100_000);
    const { messages } = await target.expectRefusal(400, ...jsonPieces(to(), bomb, 'Content-Encoding: gzip'));
    expect(messages).toContain('larger than 1 MB');
  });

  it('a small gzip body is accepted', async () => {
    const answer = await target.send(...jsonPieces(to(), gzipSync(GOOD_JSON), 'Content-Encoding: gzip'));
    expect(answer.status).toBe(path === '/diagnose' ? 200 : 201);
  });

  it.each(['evil', 'gzip, gzip', 'constructor', 'zstd'])('Content-Encoding: %s is 400', async (encoding) => {
    await target.expectRefusal(400, ...jsonPieces(to(), GOOD_JSON, `Content-Encoding: ${encoding}`));
  });

  it('a body that does not match its Content-Encoding is 400', async () => {
    await target.expectRefusal(400, ...jsonPieces(to(), GOOD_JSON, 'Content-Encoding: gzip'));
    const cut = gzipSync(GOOD_JSON).subarray(0, -12);
    await target.expectRefusal(400, ...jsonPieces(to(), cut, 'Content-Encoding: gzip'));
  });

  it.each(['utf-7', 'utf-16', 'iso-8859-1'])('the charset %s is 400', async (charset) => {
    await target.expectRefusal(400, ...jsonPieces(to(`${JSON_TYPE}; charset=${charset}`), GOOD_JSON));
  });

  it('a body with bytes that are not UTF-8 is 400', async () => {
    const body = Buffer.from('{"clinical_history": "dolor de est\xf3mago"}', 'latin1');
    await target.expectRefusal(400, ...jsonPieces(to(), body));
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'text/json', 'garbage', ''])(
    'JSON sent as "%s" is 400',
    async (type) => {
      await target.expectRefusal(400, ...jsonPieces(to(type), GOOD_JSON));
    },
  );

  it('unknown fields are ignored, and nothing of them reaches the model', async () => {
    const body = JSON.stringify({
      patient_name: `marker${'x'.repeat(900_000)}`,
      clinical_history: HISTORY,
      other: null,
    });
    const answer = await target.send(...jsonPieces(to(), body));
    expect(answer.status).toBe(path === '/diagnose' ? 200 : 201);
    expect(target.model.requests.at(-1)?.rawBody).toContain(HISTORY);
    expect(target.model.requests.at(-1)?.rawBody).not.toContain('marker');
  });

  it('bidi, zero-width and tag characters are accepted, and removed for the model', async () => {
    const hidden = ['\u202e', '\u200b', '\u2066', '\ufeff', '\u{e0041}'];
    const body = JSON.stringify({ clinical_history: `Chest${hidden.join('')} pain since noon` });
    const answer = await target.send(...jsonPieces(to(), body));
    expect(answer.status).toBe(path === '/diagnose' ? 200 : 201);
    const asked = JSON.stringify(target.model.requests.at(-1)?.body);
    expect(asked).toContain('Chest pain since noon');
    for (const character of hidden) expect(asked).not.toContain(character);
  });
});

describe('JSON in place of a form, and hostile fields of forms', () => {
  it.each(AUDIO_PATHS)('JSON in place of a form is 415 at %s', async (path) => {
    await target.expectRefusal(415, ...jsonPieces({ path, key: target.key }, GOOD_JSON));
  });

  it('JSON in place of a form is 400 at /diagnose/stream/files', async () => {
    await target.expectRefusal(400, ...jsonPieces({ path: '/diagnose/stream/files', key: target.key }, GOOD_JSON));
  });

  it.each(FILES_PATHS)('fields of a form with invalid text are 400 at %s', async (path) => {
    const bad = [
      field('language', '../../x'),
      field('language', 'EN'),
      field('clinical_history', 'a\0b'),
      field('clinical_history', Buffer.from([0x61, 0xff])),
      field('clinical_history', Buffer.from([0x61, 0xed, 0xa0, 0x80])),
    ];
    for (const part of bad) {
      const parts = [...goodParts(path).slice(1), part];
      await target.expectRefusal(400, ...formPieces({ path, key: target.key }, formBytes(parts)));
    }
  });

  it.each(AUDIO_PATHS)('the language ../../x, and a language with invalid text, are 400 at %s', async (path) => {
    for (const part of [field('language', '../../x'), field('language', 'en\0')]) {
      const parts = [part, ...goodParts(path).slice(1)];
      await target.expectRefusal(400, ...formPieces({ path, key: target.key }, formBytes(parts)));
    }
  });

  it.each([
    ['template', '../admin'],
    ['template', '__proto__'],
    ['note_type', '../../etc/passwd'],
    ['note_type', 'constructor'],
    ['custom_template', 'no heading at all'],
    ['custom_template', '# a\u0000b'],
  ])('the form field %s with %j is 400', async (name, value) => {
    const parts = [field(name, value), ...goodParts('/transcribe')];
    await target.expectRefusal(400, ...formPieces({ path: '/transcribe', key: target.key }, formBytes(parts)));
  });
});

describe('an engine after hostile JSON', () => {
  it('an engine is unharmed after all hostile JSON', () => target.expectUnharmed());
});
