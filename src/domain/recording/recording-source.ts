// Where a recording lies in a chart: which resource speaks of it, and how its bytes can be had.
import type { Confidentiality } from '../chart/confidentiality.ts';

export type RecordingSource = {
  /** `DocumentReference/12` or `Media/7`: part of what a session is named by. */
  readonly reference: string;
  /** As the resource says; empty where it does not. What it really is, its first bytes tell. */
  readonly contentType: string;
  /** A link as the resource has it (relative, absolute, `Binary/9`), or the bytes themselves in base64. */
  readonly bytes:
    | { readonly kind: 'link'; readonly url: string }
    | { readonly kind: 'inline'; readonly base64: string };
  /** As the resource says; not to be trusted. */
  readonly sizeBytes?: number;
  /** dateTimes as the resource has them. */
  readonly start?: string;
  readonly end?: string;
  readonly durationSeconds?: number;
  /** The highest label of the resources that speak of it: asked about before it is fetched. Absent where they have none. */
  readonly confidentiality?: Confidentiality;
};
