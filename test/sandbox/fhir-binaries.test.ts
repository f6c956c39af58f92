import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSandboxEhr, type SandboxEhr } from '../../src/sandbox/fhir/sandbox-ehr.ts';

let ehr: SandboxEhr;
beforeEach(async () => {
  ehr = await openSandboxEhr();
});
afterEach(() => ehr.close());

const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251));

async function upload(): Promise<string> {
  const headers = { 'content-type': 'audio/wav' };
  const response = await fetch(`${ehr.baseUrl}/Binary`, { method: 'POST', headers, body: bytes });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

const read = (id: string, headers: Record<string, string> = {}) => fetch(`${ehr.baseUrl}/Binary/${id}`, { headers });

describe('a recording in the sandbox’s EHR', () => {
  it('is returned unchanged', async () => {
    const response = await read(await upload());
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    expect(response.headers.get('content-length')).toBe('10000');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('has a new version if its bytes are replaced, also with the same content type', async () => {
    const url = `${ehr.baseUrl}/Binary/${await upload()}`;
    const headers = { 'content-type': 'audio/wav' };
    const replaced = await fetch(url, { method: 'PUT', headers, body: 'other bytes' });
    expect([replaced.status, replaced.headers.get('etag')]).toEqual([200, 'W/"2"']);
    expect(await (await fetch(url)).text()).toBe('other bytes');
  });

  it('is sent completely even if a range was requested', async () => {
    const response = await read(await upload(), { range: 'bytes=0-9' });
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, 10_000]);
  });

  it('is sent as JSON if the client asks for it', async () => {
    const response = await read(await upload(), { accept: 'application/fhir+json' });
    const json = (await response.json()) as { contentType: string; data: string };
    expect(json.contentType).toBe('audio/wav');
    expect(Buffer.from(json.data, 'base64').equals(bytes)).toBe(true);
  });

  it('can be stored as JSON', async () => {
    const body = JSON.stringify({ resourceType: 'Binary', contentType: 'audio/ogg', data: bytes.toString('base64') });
    const headers = { 'content-type': 'application/fhir+json' };
    const made = await fetch(`${ehr.baseUrl}/Binary`, { method: 'POST', headers, body });
    const { id } = (await made.json()) as { id: string };
    const response = await read(id);
    expect(response.headers.get('content-type')).toBe('audio/ogg');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it.each(['*/*', 'application/fhir+json'])(
    'of 100 MB is made while it is sent, for those who accept %s',
    async (accept) => {
      const chunk = Buffer.alloc(1_048_573, 'sound');
      const isJson = accept !== '*/*';
      let madeBytes = 0;
      ehr.store.putBinary(
        'long',
        'audio/wav',
        async function* () {
          for (let index = 0; index < 100; index += 1) {
            madeBytes += chunk.length;
            yield chunk;
          }
        },
        chunk.length * 100,
      );
      const response = await read('long', { accept });
      let sizeBytes = 0;
      let aheadBytes = 0;
      for await (const part of response.body ?? []) {
        sizeBytes += part.length;
        aheadBytes = Math.max(aheadBytes, madeBytes - (isJson ? sizeBytes * 0.75 : sizeBytes));
      }
      expect(sizeBytes).toBeGreaterThanOrEqual(isJson ? (chunk.length * 400) / 3 : chunk.length * 100);
      // Only what the sockets buffer; a Binary in memory would be complete here.
      expect(aheadBytes).toBeLessThan(50 * 1_048_576);
    },
  );

  it('answers 404 if it does not exist', async () => {
    expect((await read('nowhere')).status).toBe(404);
  });
});
