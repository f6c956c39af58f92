// A recording of a chart, ready to be passed on: what it really is, its first bytes have told. Its bytes come from the EHR while they
// are passed on, and again each time they are needed again; they never lie in memory as a whole.
import { AppError } from '../../domain/errors.ts';
import { MAX_RECORDING_BYTES, type Recording, type RecordingType } from '../../domain/recording/recording.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';

/** What the first `HEAD_BYTES` of a recording, or all of a shorter one, show it to be. */
export type CheckAudioHead = (
  head: Uint8Array,
) => { readonly ok: true; readonly type: RecordingType } | { readonly ok: false; readonly reason: string };

export type FetchRecordingParts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly checkAudioHead: CheckAudioHead;
  readonly maxBytes?: number;
};

export type FetchRecordingOrder = { readonly site: LoadedSite; readonly source: RecordingSource };

/**
 * Throws what the EHR throws; `unsupportedMedia` for what is no audio, `payloadTooLarge`, `invalidRequest` for an empty one. The
 * iteration of the recording throws the same. The signal is for all of it: a recording that nobody opens keeps a connection until
 * the signal is aborted.
 */
export type FetchRecording = (order: FetchRecordingOrder, signal: AbortSignal) => Promise<Recording>;

const HEAD_BYTES = 4_100;

type Begun = {
  readonly type: RecordingType;
  readonly head: readonly Uint8Array[];
  readonly rest: AsyncIterator<Uint8Array>;
};
type Begin = () => Promise<Begun>;

export function makeFetchRecording(parts: FetchRecordingParts): FetchRecording {
  const { ehrs, checkAudioHead, maxBytes = MAX_RECORDING_BYTES } = parts;
  return async ({ site, source }, signal) => {
    // A size that is small proves nothing; one that is too large saves the asking.
    if ((source.sizeBytes ?? 0) > maxBytes) throw tooLarge(maxBytes);
    const ehr = ehrs.of(site);
    const begin = () => beginReading(ehr.openRecording(source, signal), checkAudioHead);
    return new FetchedRecording({ begin, begun: await begin(), maxBytes, signal });
  };
}

async function beginReading(bytes: AsyncIterable<Uint8Array>, checkAudioHead: CheckAudioHead): Promise<Begun> {
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
  readonly begun: Begun;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

class FetchedRecording implements Recording {
  readonly type: RecordingType;
  readonly isReopenable = true;
  readonly #parts: FetchedParts;
  /** For whoever opens first; then it is nobody's. */
  #begun: Begun | undefined;
  #sizeBytes: number | undefined;

  constructor(parts: FetchedParts) {
    this.type = parts.begun.type;
    this.#parts = parts;
    this.#begun = parts.begun;
  }

  /** Known once somebody has read it to its end: what a chart or a server says before may be wrong. */
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
   * The first reading goes on where the look at the head stopped. Where that connection did not survive the time since then, nothing
   * is lost: nobody has been given a byte yet.
   */
  async #start(): Promise<Begun> {
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

/** Ends the connection. That it cannot be ended is no news for anybody. */
async function stop(rest: AsyncIterator<Uint8Array>): Promise<void> {
  await rest.return?.().catch(() => undefined);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payloadTooLarge', `The recording in the chart is larger than ${maxBytes / 1_048_576} MB`);
}

function changed(): AppError {
  return new AppError('ehrAnswer', 'The recording in the chart changed while it was read');
}
