// Receives a form with one recording. If text fields come first, its bytes are forwarded while they arrive and are never in memory
// as a whole. If the file comes first, it is spooled, encrypted, until the fields are known. The same rules apply to both.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../domain/errors.ts';
import { MAX_RECORDING_BYTES, type Recording, type RecordingType } from '../../../domain/recording/recording.ts';
import type { Spool, SpooledFile, SpoolWriter } from '../../../ports/spool.ts';
import { requireDiskSpace } from './form-files.ts';
import { FORM_OVERHEAD_BYTES, FORM_PACE, type Form, type FormFile, type FormPace, openForm } from './multipart.ts';
import { mebibytes } from './sizes.ts';
import type { UploadSlots } from './upload-slots.ts';

const RECORDING_FIELD = 'file';

/** The first bytes of a recording show its type. */
const HEAD_BYTES = 4_100;

export type CheckAudioHead = (
  head: Uint8Array,
) => { readonly ok: true; readonly type: RecordingType } | { readonly ok: false; readonly reason: string };

type ReceiveRecordingParts = {
  readonly spool: Spool;
  readonly checkAudioHead: CheckAudioHead;
  readonly slots: UploadSlots;
  readonly pace?: FormPace;
  readonly maxBytes?: number;
};

export type ReceivedRecording = {
  /** Its iteration throws the failure of the upload: `payloadTooLarge` at the first byte too many, `cancelled`, `invalidRequest` … */
  readonly recording: Recording;
  /** The text fields before the file. */
  readonly fieldsSoFar: ReadonlyMap<string, string>;
  /** Resolves with all text fields when the form is complete. The caller must read the recording or call `finish`. Rejects like the iteration. */
  readonly whole: Promise<ReadonlyMap<string, string>>;
  /** Like `whole`, for a caller that does not read the recording any further: its rest is read and discarded. */
  readonly finish: () => Promise<ReadonlyMap<string, string>>;
  /** Resolves with a copy when the recording is complete. Undefined if no copy is stored or the recording can be reopened anyway. */
  readonly copy: () => Promise<Recording> | undefined;
  /** Ends the upload and deletes its stored bytes. The caller must call it at the end; a second call does nothing. */
  readonly dispose: () => Promise<void>;
};

type ReceiptOrder = {
  /** Whose upload it is: each organization has slots of its own. */
  readonly organization: string;
  readonly signal: AbortSignal;
  /** Whether a forwarded recording is also stored. Default: only if the language is not known before it. */
  readonly keepsCopy?: boolean;
};

export type ReceiveRecording = (req: IncomingMessage, order: ReceiptOrder) => Promise<ReceivedRecording>;

/** Resolves when the type of the recording is known (or, with the file first, when it is complete). Throws `unsupportedMedia` for other types. */
export function makeReceiveRecording(parts: ReceiveRecordingParts): ReceiveRecording {
  return async (req, order) => {
    const leave = await parts.slots.enter(order.organization, order.signal);
    const upload = new RecordingUpload(parts, leave);
    try {
      return await upload.begin(req, order);
    } catch (thrown) {
      await upload.dispose();
      throw thrown;
    }
  };
}

class RecordingUpload {
  readonly #parts: ReceiveRecordingParts;
  readonly #maxBytes: number;
  readonly #leave: () => void;
  readonly #fields = new Map<string, string>();
  readonly #whole = Promise.withResolvers<ReadonlyMap<string, string>>();
  readonly #spooled = Promise.withResolvers<SpooledFile>();
  #form: Form | undefined;
  #file: FormFile | undefined;
  /** Bytes that were read to detect the type and are not returned yet. */
  #head: Uint8Array[] = [];
  #writer: SpoolWriter | undefined;
  #sizeBytes = 0;
  #state: 'unread' | 'reading' | 'finishing' | 'complete' | 'failed' = 'unread';
  #failure: unknown;

  constructor(parts: ReceiveRecordingParts, leave: () => void) {
    this.#parts = parts;
    this.#maxBytes = parts.maxBytes ?? MAX_RECORDING_BYTES;
    this.#leave = leave;
    // The reader of the recording gets the same failures, so that these promises need no handler.
    this.#whole.promise.catch(() => undefined);
    this.#spooled.promise.catch(() => undefined);
  }

  async begin(req: IncomingMessage, { signal, keepsCopy }: ReceiptOrder): Promise<ReceivedRecording> {
    const { pace = FORM_PACE, spool } = this.#parts;
    const maxBodyBytes = this.#maxBytes + FORM_OVERHEAD_BYTES;
    this.#form = openForm(req, { fileField: RECORDING_FIELD, maxFiles: 1, maxBodyBytes, pace }, signal);
    this.#file = await this.#findFile(this.#form);
    const type = await this.#findType(this.#file);
    const fieldsSoFar = new Map(this.#fields);
    const isFileFirst = fieldsSoFar.size === 0;
    if (isFileFirst || (keepsCopy ?? !fieldsSoFar.has('language'))) {
      await requireDiskSpace(spool);
      this.#writer = await spool.create();
    }
    return {
      recording: isFileFirst ? await this.#takeWhole(type) : this.#passOn(type),
      fieldsSoFar,
      whole: this.#whole.promise,
      finish: () => this.#finish(),
      copy: () => (isFileFirst || this.#writer === undefined ? undefined : this.#reopenable(type)),
      dispose: () => this.dispose(),
    };
  }

  async dispose(): Promise<void> {
    this.#fail(new AppError('cancelled', 'The upload was ended'));
    await this.#writer?.discard();
  }

  async #findFile(form: Form): Promise<FormFile> {
    for (;;) {
      const next = await form.parts.next();
      if (next.done === true)
        throw new AppError('invalidRequest', `A file in the form field "${RECORDING_FIELD}" is required`);
      if (next.value.kind === 'file') return next.value;
      this.#fields.set(next.value.name, next.value.value);
    }
  }

  async #findType({ label, bytes }: FormFile): Promise<RecordingType> {
    let sizeBytes = 0;
    while (sizeBytes < HEAD_BYTES) {
      const next = await bytes.next();
      if (next.done === true) break;
      this.#head.push(next.value);
      sizeBytes += next.value.length;
    }
    if (sizeBytes === 0) throw new AppError('invalidRequest', `${label}: the file is empty`);
    const verdict = this.#parts.checkAudioHead(Buffer.concat(this.#head).subarray(0, HEAD_BYTES));
    if (!verdict.ok) throw new AppError('unsupportedMedia', `${label}: ${verdict.reason}`);
    return verdict.type;
  }

  async #takeWhole(type: RecordingType): Promise<Recording> {
    await this.#finish();
    return this.#reopenable(type);
  }

  #passOn(type: RecordingType): Recording {
    const isComplete = () => this.#state === 'complete';
    const sizeBytes = () => this.#sizeBytes;
    return {
      type,
      get sizeBytes() {
        return isComplete() ? sizeBytes() : undefined;
      },
      isReopenable: false,
      open: () => {
        if (this.#state !== 'unread' && this.#state !== 'failed') {
          throw new AppError('internal', 'A recording that is forwarded was opened twice');
        }
        return this.#read();
      },
    };
  }

  async *#read(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#state === 'unread') this.#state = 'reading';
    try {
      for (let piece = await this.#nextPiece(); piece !== undefined; piece = await this.#nextPiece()) yield piece;
    } catch (thrown) {
      this.#fail(thrown);
      throw thrown;
    } finally {
      // If the reader stops early, the callers that wait for the form still get an answer.
      void this.#complete();
    }
  }

  #finish(): Promise<ReadonlyMap<string, string>> {
    if (this.#state === 'unread') void this.#complete();
    return this.#whole.promise;
  }

  /** Reads the rest of the file and of the form. It never throws: `whole` reports the failure. */
  async #complete(): Promise<void> {
    if (this.#state !== 'unread' && this.#state !== 'reading') return;
    this.#state = 'finishing';
    try {
      while ((await this.#nextPiece()) !== undefined);
      if (this.#writer !== undefined) this.#spooled.resolve(await this.#writer.finish());
      for (let next = await this.#form?.parts.next(); next?.done === false; next = await this.#form?.parts.next()) {
        if (next.value.kind === 'field') this.#fields.set(next.value.name, next.value.value);
      }
      this.#state = 'complete';
      this.#end();
      this.#whole.resolve(this.#fields);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Every byte of the file passes here: it is counted and, if a copy is needed, stored. */
  async #nextPiece(): Promise<Uint8Array | undefined> {
    // A failed upload must never look like a complete one.
    if (this.#state === 'failed') throw this.#failure;
    const piece = this.#head.shift() ?? (await this.#file?.bytes.next())?.value ?? undefined;
    if (piece === undefined) return undefined;
    this.#sizeBytes += piece.length;
    if (this.#sizeBytes > this.#maxBytes) {
      throw new AppError('payloadTooLarge', `The audio file is larger than ${mebibytes(this.#maxBytes)}`);
    }
    await this.#writer?.write(piece);
    return piece;
  }

  async #reopenable(type: RecordingType): Promise<Recording> {
    const { sizeBytes, open } = await this.#spooled.promise;
    return { type, sizeBytes, isReopenable: true, open };
  }

  #fail(thrown: unknown): void {
    if (this.#state !== 'complete' && this.#state !== 'failed') {
      this.#state = 'failed';
      this.#failure = thrown;
    }
    this.#whole.reject(thrown);
    this.#spooled.reject(thrown);
    this.#head = [];
    this.#end();
  }

  #end(): void {
    this.#form?.close();
    this.#leave();
  }
}
