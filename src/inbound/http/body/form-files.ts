// Receives a form with images and PDFs. Each file goes to the encrypted spool while it arrives; then its content is checked. All
// problems with the files are reported together, one line per file. If it throws, no file is left behind.
import type { IncomingMessage } from 'node:http';
import type {
  Attachment,
  AttachmentLimits,
  AttachmentType,
  ProcessorTime,
} from '../../../domain/diagnosis/attachment.ts';
import { AppError } from '../../../domain/errors.ts';
import { makeProcessorTime } from '../../../platform/file-check/processor-time.ts';
import type { Spool, SpooledFile } from '../../../ports/spool.ts';
import { FORM_OVERHEAD_BYTES, FORM_PACE, type FormFile, type FormPace, openForm } from './multipart.ts';
import { mebibytes } from './sizes.ts';
import type { UploadSlots } from './upload-slots.ts';

const ATTACHMENTS_FIELD = 'files';

/** Checks the content only, not the name. A throw means that the check failed, not the file. */
export type CheckAttachment = (
  file: SpooledFile,
  request: { readonly owner: string; readonly processorTime: ProcessorTime; readonly signal: AbortSignal },
) => Promise<{ readonly ok: true; readonly type: AttachmentType } | { readonly ok: false; readonly reason: string }>;

type ReceiveAttachmentsParts = {
  readonly spool: Spool;
  readonly checkAttachment: CheckAttachment;
  readonly slots: UploadSlots;
  readonly pace?: FormPace;
};

export type ReceivedForm = {
  readonly fields: ReadonlyMap<string, string>;
  readonly attachments: readonly Attachment[];
  /** Deletes the files. The caller must call it at the end; a second call does nothing. */
  readonly dispose: () => Promise<void>;
};

type FormOrder = {
  /** Whose upload it is: each organization has slots of its own. */
  readonly organization: string;
  readonly limits: AttachmentLimits;
  readonly signal: AbortSignal;
};

export type ReceiveAttachments = (req: IncomingMessage, order: FormOrder) => Promise<ReceivedForm>;

type SpooledPart = { readonly label: string; readonly taken: SpooledFile | 'too large' | 'empty' };

const CHECKS_AT_ONCE = 2;

/** Throws one `invalidRequest` with an entry for each unusable file, and the failures of forms and slots. */
export function makeReceiveAttachments(parts: ReceiveAttachmentsParts): ReceiveAttachments {
  return async (req, order) => {
    const leave = await parts.slots.enter(order.organization, order.signal);
    const receipt = new Receipt(parts, order);
    try {
      return await receipt.receive(req);
    } catch (thrown) {
      await receipt.dispose();
      throw thrown;
    } finally {
      leave();
    }
  };
}

class Receipt {
  readonly #parts: ReceiveAttachmentsParts;
  readonly #owner: string;
  readonly #limits: AttachmentLimits;
  readonly #signal: AbortSignal;
  /** Together for all files: a hostile one takes it from those that came with it, and from no one else. */
  readonly #processorTime = makeProcessorTime();
  readonly #fields = new Map<string, string>();
  readonly #files: SpooledPart[] = [];

  constructor(parts: ReceiveAttachmentsParts, { organization, limits, signal }: FormOrder) {
    this.#parts = parts;
    this.#owner = organization;
    this.#limits = limits;
    this.#signal = signal;
  }

  async receive(req: IncomingMessage): Promise<ReceivedForm> {
    await requireDiskSpace(this.#parts.spool);
    await this.#takeForm(req);
    const attachments = await this.#checkAll();
    return { fields: this.#fields, attachments, dispose: () => this.dispose() };
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#files.map(({ taken }) => (typeof taken === 'string' ? undefined : taken.dispose())));
  }

  async #takeForm(req: IncomingMessage): Promise<void> {
    const { maxFiles, maxFileBytes } = this.#limits;
    const { pace = FORM_PACE } = this.#parts;
    const maxBodyBytes = maxFiles * maxFileBytes + FORM_OVERHEAD_BYTES;
    const rules = { fileField: ATTACHMENTS_FIELD, maxFiles, maxBodyBytes, pace };
    const form = openForm(req, rules, this.#signal);
    try {
      for (let next = await form.parts.next(); next.done !== true; next = await form.parts.next()) {
        const part = next.value;
        if (part.kind === 'field') this.#fields.set(part.name, part.value);
        else this.#files.push({ label: part.label, taken: await this.#takeFile(part) });
      }
    } finally {
      form.close();
    }
  }

  /** A file that is too large is read to its end, within the limit of the whole body, so that the other files are checked too. */
  async #takeFile({ bytes }: FormFile): Promise<SpooledPart['taken']> {
    const writer = await this.#parts.spool.create();
    try {
      let sizeBytes = 0;
      for await (const piece of bytes) {
        sizeBytes += piece.length;
        if (sizeBytes > this.#limits.maxFileBytes) break;
        await writer.write(piece);
      }
      if (sizeBytes > 0 && sizeBytes <= this.#limits.maxFileBytes) return await writer.finish();
      await writer.discard();
      return sizeBytes === 0 ? 'empty' : 'too large';
    } catch (thrown) {
      await writer.discard();
      throw thrown;
    }
  }

  async #checkAll(): Promise<readonly Attachment[]> {
    const attachments: (Attachment | undefined)[] = [];
    const failures: (string | undefined)[] = [];
    const waiting = this.#files.entries();
    const work = async (): Promise<void> => {
      for (const [index, { label, taken }] of waiting) {
        const verdict = await this.#judge(taken);
        if (typeof verdict === 'string') failures[index] = `${label}: ${verdict}`;
        else attachments[index] = verdict;
      }
    };
    await allSettledOrThrow(Array.from({ length: CHECKS_AT_ONCE }, work));
    const details = failures.filter((failure) => failure !== undefined);
    if (details.length > 0) throw new AppError('invalidRequest', 'Some files cannot be used', { details });
    return attachments.filter((attachment) => attachment !== undefined);
  }

  async #judge(taken: SpooledPart['taken']): Promise<Attachment | string> {
    if (taken === 'empty') return 'the file is empty';
    if (taken === 'too large') return `the file is larger than ${mebibytes(this.#limits.maxFileBytes)}`;
    const processorTime = this.#processorTime;
    const request = { owner: this.#owner, processorTime, signal: this.#signal };
    const verdict = await this.#parts.checkAttachment(taken, request);
    if (!verdict.ok) return verdict.reason;
    return { type: verdict.type, sizeBytes: taken.sizeBytes, open: taken.open, processorTime };
  }
}

/** Throws `overloaded` if the disk is nearly full. */
export async function requireDiskSpace(spool: Spool): Promise<void> {
  if (await spool.hasRoom()) return;
  throw new AppError('overloaded', 'There is no room for uploads at the moment', { retryAfterSeconds: 60 });
}

/** Like Promise.all, but it throws only after all have ended, because a file must not be deleted during its check. */
async function allSettledOrThrow(works: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) {
    if (result.status === 'rejected') throw result.reason;
  }
}
