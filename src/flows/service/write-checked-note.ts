// Writes a note for a caller of the REST API and checks it like the note of a run. A note of a model with a drug, a dose or an allergy that
// was not said is asked for once more, with what was not found, within the time that one note may take; the better of the two is checked a second
// time by the verifier, if there is one and time for it, and returned.

import { AppError } from '../../domain/errors.ts';
import type { CheckParts } from '../../domain/note/check-note.ts';
import type { CheckSettings } from '../../domain/note/check-policy.ts';
import type { CheckReport, MissingStatement, StatementKind } from '../../domain/note/check-report.ts';
import { type JudgedStatement, judgeStatements } from '../../domain/note/check-verdicts.ts';
import { findNotFound } from '../../domain/note/not-found.ts';
import { present } from '../../domain/present.ts';
import { isRules } from '../../domain/site/engine-choice.ts';
import type { NoteChecker } from '../../ports/note-checker.ts';
import type { Reasoner } from '../../ports/reasoner.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { VerifyNote, VerifyWork } from './verify-note.ts';
import type { WriteNote } from './write-note.ts';

type WriteCheckedNoteParts = {
  readonly writeNote: WriteNote;
  readonly reasoner: Pick<Reasoner, 'engine'>;
  readonly runtime: Pick<Runtime, 'monotonicMs' | 'pause'>;
  readonly noteChecker: NoteChecker;
  readonly verifyNote: VerifyNote;
  /** The settings of a site that sets none. */
  readonly check: CheckSettings;
  /** The time of both notes and the second check together. */
  readonly totalMs: number;
};

type Work = Parameters<WriteNote>[0];
type Written = Awaited<ReturnType<WriteNote>>;
type Checked = { readonly written: Written; readonly checked: CheckParts; readonly report: CheckReport };

export type CheckedNote = {
  readonly written: Written;
  readonly statements: readonly JudgedStatement[];
  readonly missing: readonly MissingStatement[];
  /** What the second check did; absent if none is configured. */
  readonly verifier?: CheckReport['verifier'];
};

/** Throws what `WriteNote` throws for the first note; a second one that fails is as if it had not been asked for. */
export type WriteCheckedNote = (work: Work, signal: AbortSignal) => Promise<CheckedNote>;

/** What harms most if it was invented. */
const INVENTIONS: readonly StatementKind[] = ['drug', 'dose', 'allergy'];

export function makeWriteCheckedNote(parts: WriteCheckedNoteParts): WriteCheckedNote {
  const { writeNote, reasoner, noteChecker, verifyNote, runtime, check, totalMs } = parts;

  async function writeAndCheck(work: Work, signal: AbortSignal): Promise<Checked> {
    const written = await writeNote(work, signal);
    const { transcript, language } = work.request;
    const checked = { note: written, transcript, language, ...check };
    return { written, checked, report: await noteChecker.check(checked, signal) };
  }

  async function writeBetter(work: Work, endMs: number, signal: AbortSignal): Promise<Checked> {
    const first = await writeAndCheck(work, signal);
    // The rules would write the same note again.
    if (countInventions(first) === 0 || isRules(reasoner.engine)) return first;
    const leftMs = endMs - runtime.monotonicMs();
    if (leftMs <= 0) return first;
    const request = { ...work.request, notFound: notFoundIn(first, work) };
    const second = await orLate({
      runtime,
      leftMs,
      signal,
      work: (ending) => writeAndCheck({ ...work, request }, ending),
    });
    return second !== undefined && countInventions(second) < countInventions(first) ? second : first;
  }

  /** What is not done within the time of one note is as if the verifier had failed. */
  async function verify({ checked, report }: Checked, { meter }: Work, endMs: number, signal: AbortSignal) {
    const call: VerifyWork['call'] = async (ask) => {
      const leftMs = endMs - runtime.monotonicMs();
      if (leftMs <= 0) throw late();
      return await inTime({ runtime, leftMs, signal, work: ask });
    };
    return await verifyNote({ checked, report, meter, call }, signal);
  }

  return async (work, signal) => {
    const endMs = runtime.monotonicMs() + totalMs;
    const better = await writeBetter(work, endMs, signal);
    const report = await verify(better, work, endMs, signal);
    const { written } = better;
    return {
      written,
      statements: judgeStatements({ note: written, report }),
      missing: report.missing ?? [],
      ...present({ verifier: report.verifier }),
    };
  };
}

/** All that was not found, also what alone is no reason to ask again. */
function notFoundIn({ written: note, report }: Checked, { request: { language } }: Work) {
  const statements = judgeStatements({ note, report });
  return findNotFound({ note, statements, language });
}

function countInventions({ report: { unsupported } }: Checked): number {
  return INVENTIONS.reduce((sum, kind) => sum + (unsupported[kind] ?? 0), 0);
}

type LateParts<Result> = {
  readonly runtime: Pick<Runtime, 'pause'>;
  readonly leftMs: number;
  readonly signal: AbortSignal;
  readonly work: (signal: AbortSignal) => Promise<Result>;
};

/** Undefined if the work fails or is not done in time. Throws if the caller has gone, and what is no AppError. */
async function orLate<Result>(parts: LateParts<Result>): Promise<Result | undefined> {
  try {
    return await inTime(parts);
  } catch (thrown) {
    if (parts.signal.aborted || !(thrown instanceof AppError)) throw thrown;
    return undefined;
  }
}

async function inTime<Result>({ runtime, leftMs, signal, work }: LateParts<Result>): Promise<Result> {
  const [tooLate, done] = [new AbortController(), new AbortController()];
  const onLate = () => tooLate.abort(late());
  runtime.pause(leftMs, done.signal).then(onLate, () => undefined);
  try {
    return await work(AbortSignal.any([signal, tooLate.signal]));
  } finally {
    done.abort();
  }
}

function late(): AppError {
  return new AppError('vendorUnavailable', 'There was not enough time for the second note, or for its second check');
}
