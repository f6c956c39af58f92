// Opens a recording of a chart and detects its type from the first bytes. The bytes are streamed from the EHR, and fetched again each time they
// are needed; a recording is never whole in memory.
import { AppError } from '../../domain/errors.ts';
import { LinkRefusal } from '../../domain/recording/link-refusal.ts';
import { MAX_RECORDING_BYTES, type Recording, type RecordingType } from '../../domain/recording/recording.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';

/** Detects the type from the first `HEAD_BYTES` of a recording. */
export type CheckAudioHead = (
  head: Uint8Array,
) => { readonly ok: true; readonly type: RecordingType } | { readonly ok: false; readonly reason: string };

export type FetchRecordingParts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly checkAudioHead: CheckAudioHead;
  readonly maxBytes?: number;
};

export type FetchRecordingOrder = {
  readonly site: LoadedSite;
  readonly source: RecordingSource;
  /** Reads the recording's resource again if its link has ended. Absent: the link is judged as it is. */
  readonly reread?: (signal: AbortSignal) => Promise<RecordingSource>;
};

/**
 * Throws what the EHR throws; `unsupportedMedia` if it is not audio, `payloadTooLarge`, `invalidRequest` if it is empty. Iterating over the
 * recording throws the same. The signal also ends the connection of a recording that is never opened.
 */
export type FetchRecording = (order: FetchRecordingOrder, signal: AbortSignal) => Promise<Recording>;

const HEAD_BYTES = 4_100;

type StartedReading = {
  readonly type: RecordingType;
  readonly head: readonly Uint8Array[];
  readonly rest: AsyncIterator<Uint8Array>;
};
type Begin = () => Promise<StartedReading>;

export function makeFetchRecording(parts: FetchRecordingParts): FetchRecording {
  const { ehrs, checkAudioHead, maxBytes = MAX_RECORDING_BYTES } = parts;
  return async ({ site, source, reread }, signal) => {
    const ehr = ehrs.of(site);
    let current = source;
    const beginAt = (place: RecordingSource) => {
      // The stated size may be wrong, but a size that is too large saves the request.
      if ((place.sizeBytes ?? 0) > maxBytes) throw tooLarge(maxBytes);
      return beginReading(ehr.openRecording(place, signal), checkAudioHead);
    };
    const begin = async () => {
      try {
        return await beginAt(current);
      } catch (thrown) {
        if (!(thrown instanceof LinkRefusal) || !thrown.mayHaveEnded || reread === undefined) throw thrown;
        const fresh = await readAnew(thrown, () => reread(signal));
        if (isSamePlace(fresh, current)) throw thrown.withAddition(UNCHANGED);
        current = fresh;
        return await beginAt(fresh).catch((again: unknown) => {
          throw again instanceof LinkRefusal ? again.withAddition(ALSO_REFUSED) : again;
        });
      }
    };
    return new FetchedRecording({ begin, begun: await begin(), maxBytes, signal });
  };
}

const UNCHANGED = 'The chart was read again: it still has the same link';
const ALSO_REFUSED = 'The chart was read again: this is its new link, and the earlier one was refused as well';
const UNREADABLE = 'The chart could not be read again for a newer link';

/** A client that may search for recordings but not read one gets the refusal of the link: that is what a person has to solve. */
async function readAnew(refusal: LinkRefusal, reread: () => Promise<RecordingSource>): Promise<RecordingSource> {
  try {
    return await reread();
  } catch (thrown) {
    throw thrown instanceof AppError && thrown.code === 'ehrRefused' ? refusal.withAddition(UNREADABLE) : thrown;
  }
}

function isSamePlace({ bytes: one }: RecordingSource, { bytes: other }: RecordingSource): boolean {
  return one.kind === 'link' && other.kind === 'link' && one.url === other.url;
}

async function beginReading(bytes: AsyncIterable<Uint8Array>, checkAudioHead: CheckAudioHead): Promise<StartedReading> {
  const rest = bytes[Symbol.asyncIterator]();
  try {
    const head: Uint8Array[] = [];
    let sizeBytes = 0;
    while (sizeBytes < HEAD_BYTES) {
      const next = await rest.next();
      if (next.done === true) break;
      head.push(next.value);
      sizeBytes += next.value.length;
    }
    if (sizeBytes === 0) throw new AppError('invalidRequest', 'The recording in the chart is empty');
    const verdict = checkAudioHead(Buffer.concat(head).subarray(0, HEAD_BYTES));
    if (!verdict.ok) throw new AppError('unsupportedMedia', `The recording in the chart: ${verdict.reason}`);
    return { type: verdict.type, head, rest };
  } catch (thrown) {
    await stop(rest);
    throw thrown;
  }
}

type FetchedParts = {
  readonly begin: Begin;
  readonly begun: StartedReading;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

class FetchedRecording implements Recording {
  readonly type: RecordingType;
  readonly isReopenable = true;
  readonly #parts: FetchedParts;
  /** Used by the first call of `open`. */
  #begun: StartedReading | undefined;
  #sizeBytes: number | undefined;

  constructor(parts: FetchedParts) {
    this.type = parts.begun.type;
    this.#parts = parts;
    this.#begun = parts.begun;
  }

  /** Undefined until all bytes were read once: sizes of a chart or a server may be wrong. */
  get sizeBytes(): number | undefined {
    return this.#sizeBytes;
  }

  open(): AsyncIterable<Uint8Array> {
    return this.#read();
  }

  async *#read(): AsyncGenerator<Uint8Array, void, undefined> {
    const { head, rest } = await this.#start();
    let sizeBytes = 0;
    try {
      for await (const piece of inOrder(head, rest)) {
        sizeBytes += piece.length;
        if (sizeBytes > this.#parts.maxBytes) throw tooLarge(this.#parts.maxBytes);
        if (sizeBytes > (this.#sizeBytes ?? sizeBytes)) throw changed();
        yield piece;
      }
    } finally {
      await stop(rest);
    }
    if (sizeBytes !== (this.#sizeBytes ?? sizeBytes)) throw changed();
    this.#sizeBytes = sizeBytes;
  }

  /**
   * The first reading continues after the bytes of the type detection. If that connection has broken, the recording is fetched again: no byte
   * was passed on yet.
   */
  async #start(): Promise<StartedReading> {
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun !== undefined) {
      try {
        const next = await begun.rest.next();
        return next.done === true ? { ...begun, rest: NOTHING } : { ...begun, head: [...begun.head, next.value] };
      } catch (thrown) {
        const isPassing = thrown instanceof AppError && thrown.retryability === 'transient';
        if (!isPassing || this.#parts.signal.aborted) throw thrown;
      }
    }
    const again = await this.#parts.begin();
    if (again.type === this.type) return again;
    await stop(again.rest);
    throw changed();
  }
}

const NOTHING: AsyncIterator<Uint8Array> = { next: async () => ({ done: true, value: undefined }) };

async function* inOrder(head: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** Ends the connection. A failure to do so has no consequence. */
async function stop(rest: AsyncIterator<Uint8Array>): Promise<void> {
  await rest.return?.().catch(() => undefined);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payloadTooLarge', `The recording in the chart is larger than ${maxBytes / 1_048_576} MB`);
}

function changed(): AppError {
  return new AppError('ehrAnswer', 'The recording in the chart changed while it was read');
}
