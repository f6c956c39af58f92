// An image or PDF that is sent with a clinical history.

export const ATTACHMENT_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'application/pdf'] as const;
export type AttachmentType = (typeof ATTACHMENT_TYPES)[number];

/** Does one piece of work after another. Each gets what is left of the processor time, and returns what it used, in milliseconds. */
export type ProcessorTime = {
  readonly spend: <T extends { readonly usedMs: number }>(work: (leftMs: number) => Promise<T>) => Promise<T>;
};

export type Attachment = {
  readonly type: AttachmentType;
  readonly sizeBytes: number;
  /** Reads the bytes from the start; may be called several times. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** What reading this file and the others of its request may still use together. Undefined: nothing of it is used yet. */
  readonly processorTime?: ProcessorTime;
};

export type AttachmentLimits = { readonly maxFiles: number; readonly maxFileBytes: number };

const MEBIBYTE = 1_048_576;
export const DIAGNOSE_LIMITS: AttachmentLimits = { maxFiles: 10, maxFileBytes: 20 * MEBIBYTE };
export const STREAM_FILES_LIMITS: AttachmentLimits = { maxFiles: 5, maxFileBytes: 10 * MEBIBYTE };
