import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import type { RecordingSource } from '../../../src/domain/recording/recording-source.ts';
import { makeFetchRecording } from '../../../src/flows/run-steps/fetch-recording.ts';
import { checkAudioHead } from '../../../src/platform/file-check/audio-head.ts';
import { makeFakeEhr } from '../../fakes/ehr.ts';
import { audioStream, makeAudio } from '../../support/audio-samples.ts';
import { aSite } from '../../support/chart-facts.ts';

const WAV = makeAudio('wav', 300_000);
const source: RecordingSource = {
  reference: 'Media/m-1',
  contentType: 'audio/wav',
  bytes: { kind: 'link', url: 'Binary/b-1' },
};

type Opening = () => AsyncIterable<Uint8Array>;

/** An EHR whose recording is another one at each opening; the last one stays. */
function aStage(...openings: readonly [Opening, ...Opening[]]) {
  const seen = { openings: 0, given: 0, ended: 0 };
  const [first, ...later] = openings;
  const ehr = {
    ...makeFakeEhr(),
    async *openRecording(_: RecordingSource, signal: AbortSignal) {
      const opening = seen.openings === 0 ? first : (later[seen.openings - 1] ?? later.at(-1) ?? first);
      seen.openings += 1;
      try {
        for await (const piece of opening()) {
          signal.throwIfAborted();
          seen.given += piece.length;
          yield piece;
        }
      } finally {
        seen.ended += 1;
      }
    },
  };
  const fetch = makeFetchRecording({ ehrs: { of: () => ehr }, checkAudioHead, maxBytes: 1_000_000 });
  const order = (changes: Partial<RecordingSource> = {}) => ({ site: aSite(), source: { ...source, ...changes } });
  return { seen, fetch, order, signal: new AbortController().signal };
}

const wav: Opening = () => audioStream('wav', WAV.length);

function inPieces(bytes: Uint8Array, size: number): Opening {
  return async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
}

function breakingAfter(bytes: Uint8Array, error: unknown): Opening {
  return async function* () {
    yield bytes;
    throw error;
  };
}

async function read(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('a recording of a chart', () => {
  it('the type is detected from the first bytes, whatever the chart states', async () => {
    const { fetch, order, signal } = aStage(inPieces(makeAudio('mp3', 20_000), 1_000));
    expect(await fetch(order({ contentType: 'audio/wav' }), signal)).toMatchObject({
      type: 'audio/mpeg',
      isReopenable: true,
    });
  });

  it.each([1, 4_099, 4_100, 4_101, 300_000])(
    'the bytes arrive unchanged in pieces of %i, with one request',
    async (size) => {
      const { seen, fetch, order, signal } = aStage(inPieces(WAV, size));
      const recording = await fetch(order(), signal);
      expect((await read(recording.open())).equals(WAV)).toBe(true);
      expect(seen).toEqual({ openings: 1, given: WAV.length, ended: 1 });
    },
  );

  it('a second reading makes a second request', async () => {
    const { seen, fetch, order, signal } = aStage(wav);
    const recording = await fetch(order(), signal);
    for (let time = 0; time < 3; time += 1) expect((await read(recording.open())).equals(WAV)).toBe(true);
    expect(seen.openings).toBe(3);
  });

  it('a recording can be read again after the first reader stopped half way', async () => {
    const { seen, fetch, order, signal } = aStage(wav);
    const recording = await fetch(order(), signal);
    for await (const piece of recording.open()) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(seen.ended).toBe(1);
    expect((await read(recording.open())).equals(WAV)).toBe(true);
  });

  it('a recording shorter than the detection length is detected as well', async () => {
    const short = makeAudio('wav', 500);
    const { fetch, order, signal } = aStage(inPieces(short, 44));
    const recording = await fetch(order(), signal);
    expect((await read(recording.open())).equals(short)).toBe(true);
  });

  it('the size is unknown until all bytes were read, because the chart may be wrong', async () => {
    const { fetch, order, signal } = aStage(wav);
    const recording = await fetch(order({ sizeBytes: 5 }), signal);
    expect(recording.sizeBytes).toBeUndefined();
    await read(recording.open());
    expect(recording.sizeBytes).toBe(WAV.length);
  });

  it('only the head is read until the recording is opened', async () => {
    const { seen, fetch, order, signal } = aStage(wav);
    const recording = await fetch(order(), signal);
    expect(seen.given).toBeLessThan(100_000);
    const reading = recording.open()[Symbol.asyncIterator]();
    await reading.next();
    // At most one piece ahead of the reader.
    expect(seen.given).toBeLessThan(200_000);
    await reading.return?.();
  });
});

describe('an attachment that is not a recording', () => {
  it.each([
    ['a page that asks for a password', Buffer.from('<html>Please log in</html>')],
    ['a picture', Buffer.from('89504e470d0a1a0a', 'hex')],
    ['text that begins like a WAV', Buffer.from(`RIFF....WAVEdata ${'x'.repeat(5000)}`)],
  ])('it is refused: %s', async (_, bytes) => {
    const { seen, fetch, order, signal } = aStage(inPieces(bytes, 1000));
    await expect(fetch(order(), signal)).rejects.toMatchObject({ code: 'unsupportedMedia' });
    expect(seen.ended).toBe(1);
  });

  it('an empty recording is refused', async () => {
    const { fetch, order, signal } = aStage(inPieces(new Uint8Array(), 1));
    await expect(fetch(order(), signal)).rejects.toMatchObject({
      code: 'invalidRequest',
      message: 'The recording in the chart is empty',
    });
  });

  it('a recording that the EHR does not return gives the message of the EHR', async () => {
    const gone = new AppError('notFound', 'mercy: the EHR no longer has a recording (404)');
    const { fetch, order, signal } = aStage(breakingAfter(new Uint8Array(), gone));
    await expect(fetch(order(), signal)).rejects.toBe(gone);
  });
});

describe('a recording that is too large', () => {
  it('a recording with a stated size above the limit is not requested', async () => {
    const { seen, fetch, order, signal } = aStage(wav);
    await expect(fetch(order({ sizeBytes: 1_000_001 }), signal)).rejects.toMatchObject({ code: 'payloadTooLarge' });
    expect(seen.openings).toBe(0);
  });

  it('a recording with a wrong stated size ends at the first byte above the limit', async () => {
    const { seen, fetch, order, signal } = aStage(() => audioStream('wav', 5_000_000));
    const recording = await fetch(order({ sizeBytes: 10 }), signal);
    await expect(read(recording.open())).rejects.toMatchObject({ code: 'payloadTooLarge' });
    expect(seen.given).toBeLessThan(1_200_000);
    expect(seen.ended).toBe(1);
  });

  it('a recording of exactly the limit is accepted', async () => {
    const { fetch, order, signal } = aStage(() => audioStream('wav', 1_000_000));
    const recording = await fetch(order({ sizeBytes: 1_000_000 }), signal);
    expect(await read(recording.open())).toHaveLength(1_000_000);
  });
});

describe('a connection that breaks', () => {
  const lost = new AppError('ehrUnavailable', 'mercy: it broke off');

  it('a connection that breaks before the first read is made again without an error', async () => {
    const { seen, fetch, order, signal } = aStage(breakingAfter(WAV.subarray(0, 5_000), lost), wav);
    const recording = await fetch(order(), signal);
    expect((await read(recording.open())).equals(WAV)).toBe(true);
    expect(seen).toMatchObject({ openings: 2, ended: 2 });
  });

  it('a connection that breaks during a read fails that read', async () => {
    const twoPieces: Opening = async function* () {
      yield* [WAV.subarray(0, 5_000), WAV.subarray(5_000, 10_000)];
      throw lost;
    };
    const { seen, fetch, order, signal } = aStage(twoPieces, wav);
    const recording = await fetch(order(), signal);
    await expect(read(recording.open())).rejects.toBe(lost);
    expect(seen.openings).toBe(1);
    expect((await read(recording.open())).equals(WAV)).toBe(true);
  });

  it('a refused connection is not tried again', async () => {
    const refused = new AppError('payloadTooLarge', 'too large');
    const { seen, fetch, order, signal } = aStage(breakingAfter(WAV.subarray(0, 5_000), refused), wav);
    const recording = await fetch(order(), signal);
    await expect(read(recording.open())).rejects.toBe(refused);
    expect(seen.openings).toBe(1);
  });

  it('an aborted connection ends with the reason of the abort', async () => {
    const stop = new AbortController();
    const reason = new AppError('shuttingDown', 'the engine stops');
    const { seen, fetch, order } = aStage(wav);
    const reading = (await fetch(order(), stop.signal)).open()[Symbol.asyncIterator]();
    await reading.next();
    stop.abort(reason);
    await expect(read({ [Symbol.asyncIterator]: () => reading })).rejects.toBe(reason);
    expect(seen).toMatchObject({ openings: 1, ended: 1 });
  });
});

describe('a recording that changes between two readings', () => {
  it.each([
    ['in another format', inPieces(makeAudio('mp3', 300_000), 50_000)],
    ['longer', () => audioStream('wav', WAV.length + 1)],
    ['shorter', inPieces(WAV.subarray(0, WAV.length - 1), 50_000)],
  ])('%s is not passed on as the same recording', async (_, other) => {
    const { fetch, order, signal } = aStage(wav, other);
    const recording = await fetch(order(), signal);
    await read(recording.open());
    let readBytes = 0;
    const again = async () => {
      for await (const piece of recording.open()) readBytes += piece.length;
    };
    await expect(again()).rejects.toMatchObject({
      code: 'ehrAnswer',
      message: 'The recording in the chart changed while it was read',
    });
    // A reader that knows the size must never get more bytes.
    expect(readBytes).toBeLessThanOrEqual(WAV.length);
  });
});
