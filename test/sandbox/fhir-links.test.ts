// Links to recordings that the sandbox's EHR signs: they open for anyone, end, and are made anew at each read.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DocumentReference, Media } from '@medplum/fhirtypes';
import { startSandboxEhr, type TestEhr } from '../support/sandbox-ehr.ts';
import { callsTo } from './fhir-calls.ts';

const SOUND = Buffer.from('a made-up recording');
const HOUR_MS = 3_600_000;
let nowMs: number;
let ehr: TestEhr;

beforeEach(async () => {
  nowMs = Date.parse('2026-11-02T09:00:00Z');
  const clients = [{ clientId: 'chartwright', secret: 'a-secret' }];
  ehr = await startSandboxEhr({ linkSeconds: 3_600, now: () => new Date(nowMs), clients, isOpen: true });
  ehr.store.putBinary('b-1', 'audio/ogg', () => inOnePiece(SOUND), SOUND.length);
  ehr.store.put(aDocument('d-1', 'Binary/b-1'));
});
afterEach(() => ehr.close());

async function* inOnePiece(bytes: Uint8Array) {
  yield bytes;
}

function aDocument(id: string, url: string): DocumentReference & { readonly id: string } {
  return {
    resourceType: 'DocumentReference',
    id,
    status: 'current',
    subject: { reference: 'Patient/p-1' },
    content: [{ attachment: { contentType: 'audio/ogg', url } }],
    context: { encounter: [{ reference: 'Encounter/e-1' }] },
  };
}

const linkIn = (document: unknown) => (document as DocumentReference).content[0]?.attachment.url ?? '';
const read = async () => linkIn((await callsTo(ehr.baseUrl)('GET', 'DocumentReference/d-1')).json);
const open = async (link: string) => (await fetch(link)).status;

describe('a signed link', () => {
  it('opens without a token, and gives the bytes of the recording', async () => {
    const response = await fetch(await read());
    expect(Buffer.from(await response.arrayBuffer()).equals(SOUND)).toBe(true);
  });

  it('is made anew at each read, and the stored resource keeps the plain one', async () => {
    const links = [await read(), await read()];
    expect(new Set(links).size).toBe(2);
    expect(await Promise.all(links.map(open))).toEqual([200, 200]);
    expect(linkIn(ehr.store.get('DocumentReference/d-1'))).toBe('Binary/b-1');
  });

  it('is in the results of a search, in a batch and in a Media as well', async () => {
    const call = callsTo(ehr.baseUrl);
    const media: Media = {
      resourceType: 'Media',
      id: 'm-1',
      status: 'completed',
      content: { contentType: 'audio/ogg', url: 'Binary/b-1' },
    };
    ehr.store.put(media);
    const found = await call('GET', 'DocumentReference?encounter=Encounter/e-1');
    const batch = await call('POST', '', {
      body: { resourceType: 'Bundle', type: 'batch', entry: [{ request: { method: 'GET', url: 'Media/m-1' } }] },
    });
    const [document] = found.json.entry as { resource: DocumentReference }[];
    const [read] = batch.json.entry as { resource: Media }[];
    expect(await Promise.all([linkIn(document?.resource), read?.resource.content.url ?? ''].map(open))).toEqual([
      200, 200,
    ]);
  });

  it('has ended after its time, and a new one opens', async () => {
    const link = await read();
    nowMs += HOUR_MS - 1_000;
    expect(await open(link)).toBe(200);
    nowMs += 1_000;
    expect(await open(link)).toBe(410);
    expect(await open(await read())).toBe(200);
  });

  it('does not open after the key has changed, and a new one does', async () => {
    const link = await read();
    ehr.changeLinkKey();
    expect(await open(link)).toBe(403);
    expect(await open(await read())).toBe(200);
  });

  it('does not open another recording, and not for longer', async () => {
    ehr.store.putBinary('b-2', 'audio/ogg', () => inOnePiece(SOUND), SOUND.length);
    const link = await read();
    const later = link.replace(/Expires=(\d+)/, (_, expires: string) => `Expires=${Number(expires) + 60}`);
    expect(await Promise.all([link.replace('b-1', 'b-2'), later].map(open))).toEqual([403, 403]);
  });

  it('becomes the plain link when a client sends back what it has read', async () => {
    const call = callsTo(ehr.baseUrl);
    const { json } = await call('GET', 'DocumentReference/d-1');
    expect((await call('PUT', 'DocumentReference/d-1', { body: { ...json, description: 'Heard' } })).status).toBe(200);
    expect(ehr.store.get('DocumentReference/d-1')).toMatchObject({
      description: 'Heard',
      content: [{ attachment: { url: 'Binary/b-1' } }],
    });
  });
});

describe('an EHR whose links have ended', () => {
  it.each([400, 401, 403, 404, 410] as const)(
    'refuses the first link with %i each time, and opens the next',
    async (status) => {
      ehr.faults.set([{ mode: 'ended-links', status }]);
      const [first, second] = [await read(), await read()];
      expect([await open(first), await open(first), await open(second), await open(first)]).toEqual([
        status,
        status,
        200,
        status,
      ]);
    },
  );

  it('refuses all links if the fault is lasting', async () => {
    ehr.faults.set([{ mode: 'ended-links', isLasting: true }]);
    expect([await open(await read()), await open(await read())]).toEqual([403, 403]);
  });
});
