// How the check of a note is shown to a caller of POST /transcribe: the counts in a header, and the statements in the body if the caller asks
// for them with `Prefer: include=check`.
import type { z } from 'zod';
import { VERDICTS } from '../../../domain/note/check-report.ts';
import { present } from '../../../domain/present.ts';
import { messageOrder } from '../../../domain/recording/conversation.ts';
import type { Transcript } from '../../../domain/recording/transcript.ts';
import type { CheckedNote } from '../../../flows/service/write-checked-note.ts';
import { preferenceOf } from './prefer.ts';
import type { noteCheck } from './response-schemas.ts';

export const CHECK_HEADER = 'x-chartwright-check';
export const INCLUDE_CHECK = 'include=check';

export function isCheckAsked(prefer: string | undefined): boolean {
  return preferenceOf(prefer, 'include') === 'check';
}

/** `supported=12, unsupported=1, contradicted=0, misplaced=0, conflict=0`, and `verifier=failed` if a second check is configured. */
export function checkHeader({ statements, verifier }: Pick<CheckedNote, 'statements' | 'verifier'>): string {
  const countOf = (wanted: string) => statements.filter(({ verdict }) => verdict === wanted).length;
  const counts = VERDICTS.map((verdict) => `${verdict}=${countOf(verdict)}`);
  return [...counts, ...(verifier === undefined ? [] : [`verifier=${verifier.outcome}`])].join(', ');
}

/** Messages are counted as POST /transcribe/conversation orders them. */
export function checkMember(
  { statements, missing, verifier }: Omit<CheckedNote, 'written'>,
  transcript: Pick<Transcript, 'utterances'>,
): z.infer<typeof noteCheck> {
  const order = messageOrder(transcript);
  return {
    statements: statements.map(({ section, text, kind, verdict, effect, moments, by }) => ({
      section,
      text,
      kind,
      verdict,
      effect,
      said: moments.map(({ utterance, startSeconds }) => ({ message: order.indexOf(utterance), startSeconds })),
      ...present({ by }),
    })),
    missing: missing.map(({ kind, text, utterance, startSeconds }) => {
      return { kind, text, message: order.indexOf(utterance), startSeconds };
    }),
    ...present({ verifier }),
  };
}
