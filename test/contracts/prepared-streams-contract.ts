// What every store of prepared streams promises.
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../src/domain/access/api-key.ts';
import type { Attachment } from '../../src/domain/diagnosis/attachment.ts';
import type { ClaimedStream, PreparedStreams, StreamPreparation } from '../../src/ports/prepared-streams.ts';

export type PreparedStreamsSubject = {
  readonly streams: PreparedStreams;
  /** Makes everything that was prepared or claimed so far older by this much. */
  readonly pass: (ms: number) => Promise<void>;
};

const MINUTE_MS = 60_000;
const A_DIGEST = new Uint8Array(32).fill(9);
export const mercy: Caller = { keyId: 'key-1', organization: 'mercy', plan: 'standard' };

export function anAttachment(bytes: Uint8Array, parts: Partial<Attachment> = {}): Attachment {
  return {
    type: 'image/png',
    sizeBytes: bytes.length,
    open: async function* () {
      // Odd pieces, so that they never end where a chunk ends.
      for (let at = 0; at < bytes.length; at += 99_991) yield bytes.subarray(at, at + 99_991);
    },
    ...parts,
  };
}

let streamCount = 0;
export function aPreparation(parts: Partial<StreamPreparation> = {}): StreamPreparation {
  streamCount += 1;
  const id = `stream-${streamCount}`;
  return {
    id,
    caller: mercy,
    language: 'en',
    attachments: [],
    ttlMs: 10 * MINUTE_MS,
    ticketDigest: A_DIGEST,
    ...parts,
  };
}

export async function claimed(streams: PreparedStreams, id: string, caller = mercy): Promise<ClaimedStream> {
  const claim = await streams.claim(id, caller);
  if (claim.kind !== 'claimed') throw new Error(`the stream is ${claim.kind}`);
  return claim.stream;
}

export function someBytes(sizeBytes: number): Uint8Array {
  return Uint8Array.from({ length: sizeBytes }, (_, index) => (index * 31) % 251);
}

export async function readAll({ open }: Attachment): Promise<Buffer> {
  return buffer(open());
}

export function preparedStreamsContract(name: string, makeSubject: () => Promise<PreparedStreamsSubject>): void {
  describe(`the prepared streams of ${name}`, () => {
    contentContract(makeSubject);
    claimContract(makeSubject);
    ticketContract(makeSubject);
    endContract(makeSubject);
  });
}

function contentContract(makeSubject: () => Promise<PreparedStreamsSubject>): void {
  it.each([0, 1, 524_287, 524_288, 524_289, 1_048_576, 2_000_003])(
    'give back a file of %i bytes as it was, as often as it is asked',
    async (sizeBytes) => {
      const { streams } = await makeSubject();
      const bytes = someBytes(sizeBytes);
      const preparation = aPreparation({ attachments: [anAttachment(bytes)] });
      await streams.prepare(preparation);
      const { attachments } = await claimed(streams, preparation.id);
      for (const attachment of [...attachments, ...attachments]) {
        expect((await readAll(attachment)).equals(bytes)).toBe(true);
      }
      expect(attachments.map((attachment) => attachment.sizeBytes)).toEqual([sizeBytes]);
    },
  );

  it('give back history, language and the files in their order', async () => {
    const { streams } = await makeSubject();
    const clinicalHistory = 'Tos y fiebre desde hace 3 días 🤒\0\ud800';
    const attachments = [
      anAttachment(someBytes(10), { type: 'application/pdf' }),
      anAttachment(someBytes(20), { type: 'image/webp' }),
    ];
    const preparation = aPreparation({ clinicalHistory, language: 'es', attachments });
    await streams.prepare(preparation);
    const stream = await claimed(streams, preparation.id);
    expect(stream).toMatchObject({ clinicalHistory, language: 'es' });
    expect(stream.attachments.map(({ type, sizeBytes }) => [type, sizeBytes])).toEqual([
      ['application/pdf', 10],
      ['image/webp', 20],
    ]);
  });

  it('have no history where none was given', async () => {
    const { streams } = await makeSubject();
    const preparation = aPreparation();
    await streams.prepare(preparation);
    expect((await claimed(streams, preparation.id)).clinicalHistory).toBeUndefined();
  });

  it('keep nothing of an upload that broke off or changed its size', async () => {
    const { streams } = await makeSubject();
    const broken = anAttachment(someBytes(700_000), {
      // biome-ignore lint/correctness/useYield: it breaks before its first piece, like a connection that was cut.
      open: async function* () {
        throw new Error('the upload broke off');
      },
    });
    const [good, longer, shorter] = [600_000, 600_000, 600_000].map((size) => anAttachment(someBytes(size)));
    if (!good || !longer || !shorter) throw new Error('three files');
    for (const bad of [broken, { ...longer, sizeBytes: 599_999 }, { ...shorter, sizeBytes: 600_001 }]) {
      const preparation = aPreparation({ attachments: [good, bad] });
      await expect(streams.prepare(preparation)).rejects.toThrow();
      expect(await streams.claim(preparation.id, mercy)).toEqual({ kind: 'absent' });
    }
  });
}

function claimContract(makeSubject: () => Promise<PreparedStreamsSubject>): void {
  it('are absent if they were never prepared', async () => {
    const { streams } = await makeSubject();
    expect(await streams.claim('never', mercy)).toEqual({ kind: 'absent' });
  });

  it('are foreign to another key and to another organization, and unchanged by their try', async () => {
    const { streams } = await makeSubject();
    const { id } = await prepareOne(streams);
    expect(await streams.claim(id, { ...mercy, keyId: 'key-2' })).toEqual({ kind: 'foreign' });
    expect(await streams.claim(id, { ...mercy, organization: 'a-clinic' })).toEqual({ kind: 'foreign' });
    await claimed(streams, id);
  });

  it('are claimed by one of many who come at once', async () => {
    const { streams } = await makeSubject();
    const { id } = await prepareOne(streams);
    const claims = await Promise.all(Array.from({ length: 8 }, () => streams.claim(id, mercy)));
    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'absent')).toHaveLength(7);
  });

  it('can be claimed again where the claim was given back unused', async () => {
    const { streams } = await makeSubject();
    const { id } = await prepareOne(streams);
    await (await claimed(streams, id)).release();
    await claimed(streams, id);
  });

  it('are used once: gone with their bytes after the release, and absent before it', async () => {
    const { streams, pass } = await makeSubject();
    const { id } = await prepareOne(streams);
    const stream = await claimed(streams, id);
    await stream.markUsed();
    await stream.markUsed();
    await pass(2 * MINUTE_MS);
    expect(await streams.claim(id, mercy)).toEqual({ kind: 'absent' });
    await stream.release();
    await stream.release();
    expect(await streams.claim(id, mercy)).toEqual({ kind: 'absent' });
    expect(await streams.claim(id, { ...mercy, keyId: 'key-2' })).toEqual({ kind: 'absent' });
  });

  it('go to the next who comes when a claim is a minute old and was not used', async () => {
    const { streams, pass } = await makeSubject();
    const { id } = await prepareOne(streams);
    const slow = await claimed(streams, id);
    await pass(59_000);
    expect(await streams.claim(id, mercy)).toEqual({ kind: 'absent' });
    await pass(2000);
    const quick = await claimed(streams, id);
    await expect(slow.markUsed()).rejects.toMatchObject({ code: 'notFound' });
    await slow.release();
    expect(await streams.claim(id, mercy)).toEqual({ kind: 'absent' });
    await quick.markUsed();
  });
}

function ticketContract(makeSubject: () => Promise<PreparedStreamsSubject>): void {
  it('know the key and the digest of the ticket of a session until it is used', async () => {
    const { streams } = await makeSubject();
    const { id } = await prepareOne(streams);
    const ticket = await streams.findTicket(id);
    expect(ticket?.keyId).toBe(mercy.keyId);
    expect(Buffer.from(ticket?.ticketDigest ?? []).equals(A_DIGEST)).toBe(true);
    expect(await streams.findTicket('never')).toBeUndefined();
    const stream = await claimed(streams, id);
    expect(await streams.findTicket(id)).toBeDefined();
    await stream.markUsed();
    expect(await streams.findTicket(id)).toBeUndefined();
  });

  it('know no ticket of a session that has expired', async () => {
    const { streams, pass } = await makeSubject();
    const { id } = await prepareOne(streams);
    await pass(10 * MINUTE_MS + 1);
    expect(await streams.findTicket(id)).toBeUndefined();
  });
}

function endContract(makeSubject: () => Promise<PreparedStreamsSubject>): void {
  it('are absent for every key once they have expired', async () => {
    const { streams, pass } = await makeSubject();
    const { id } = await prepareOne(streams);
    await pass(10 * MINUTE_MS + 1);
    expect(await streams.claim(id, mercy)).toEqual({ kind: 'absent' });
    expect(await streams.claim(id, { ...mercy, keyId: 'key-2' })).toEqual({ kind: 'absent' });
  });

  it('are swept when their time is over, and not before', async () => {
    const { streams, pass } = await makeSubject();
    await prepareOne(streams);
    await pass(9 * MINUTE_MS);
    const { id } = await prepareOne(streams);
    expect(await streams.sweep()).toBe(0);
    await pass(2 * MINUTE_MS);
    expect(await streams.sweep()).toBe(1);
    expect(await streams.sweep()).toBe(0);
    await claimed(streams, id);
  });

  it('are not swept from under a stream that is being answered, unless its engine died', async () => {
    const { streams, pass } = await makeSubject();
    const bytes = someBytes(600_000);
    const preparation = aPreparation({ attachments: [anAttachment(bytes)] });
    await streams.prepare(preparation);
    await pass(9 * MINUTE_MS);
    const { markUsed, attachments } = await claimed(streams, preparation.id);
    await markUsed();
    await pass(5 * MINUTE_MS);
    expect(await streams.sweep()).toBe(0);
    for (const attachment of attachments) expect((await readAll(attachment)).equals(bytes)).toBe(true);
    await pass(6 * MINUTE_MS);
    expect(await streams.sweep()).toBe(1);
  });
}

async function prepareOne(streams: PreparedStreams): Promise<StreamPreparation> {
  const preparation = aPreparation({
    clinicalHistory: 'Cough for three days',
    attachments: [anAttachment(someBytes(10))],
  });
  await streams.prepare(preparation);
  return preparation;
}
