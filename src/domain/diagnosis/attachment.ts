// An image or PDF that is sent with a clinical history.

export const ATTACHMENT_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'application/pdf'] as const;
export type AttachmentType = (typeof ATTACHMENT_TYPES)[number];

export type Attachment = {
  readonly type: AttachmentType;
  readonly sizeBytes: number;
  /** Reads the bytes from the start; may be called several times. */
  readonly open: () => AsyncIterable<Uint8Array>;
};

export type AttachmentLimits = { readonly maxFiles: number; readonly maxFileBytes: number };

const MEBIBYTE = 1_048_576;
export const DIAGNOSE_LIMITS: AttachmentLimits = { maxFiles: 10, maxFileBytes: 20 * MEBIBYTE };
export const STREAM_FILES_LIMITS: AttachmentLimits = { maxFiles: 5, maxFileBytes: 10 * MEBIBYTE };
