// The place of a recording in a chart: its resource, and how to read its bytes.
import type { Confidentiality } from '../chart/confidentiality.ts';

export type RecordingSource = {
  /** `DocumentReference/12` or `Media/7`: part of the key of the session. */
  readonly reference: string;
  /** As the resource states it, or empty. The real type is detected from the first bytes. */
  readonly contentType: string;
  /** A link as the resource has it (relative, absolute, `Binary/9`), or the bytes themselves in base64. */
  readonly bytes:
    | { readonly kind: 'link'; readonly url: string }
    | { readonly kind: 'inline'; readonly base64: string };
  /** As the resource states it; it may be wrong. */
  readonly sizeBytes?: number;
  /** dateTimes as the resource has them. */
  readonly start?: string;
  readonly end?: string;
  readonly durationSeconds?: number;
  /** The highest confidentiality label of its resources; the permission is checked with it before the bytes are read. */
  readonly confidentiality?: Confidentiality;
};
