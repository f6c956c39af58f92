// Content of a request that the rules could not read.
import { fillTemplate } from '../knowledge/fill-template.ts';
import type { Wording } from '../knowledge/language-schema.ts';

/** The counts of such content. */
export type UnseenContent = {
  readonly images: number;
  /** Scans, and PDFs that could not be read. */
  readonly documents: number;
  /** PDFs of which only a part was read. */
  readonly parts: number;
};

export function hasUnseen({ images, documents, parts }: UnseenContent): boolean {
  return images + documents + parts > 0;
}

export function nameUnseen(unseen: UnseenContent, { unseen: words }: Wording): string {
  const kinds = (['images', 'documents', 'parts'] as const)
    .filter((kind) => unseen[kind] > 0)
    .map((kind) => (unseen[kind] === 1 ? words[kind].one : fillTemplate(words[kind].more, { count: unseen[kind] })));
  return fillTemplate(words.sentence, { list: kinds.join(', ') });
}
