// What the page of a draft shows, of the view of its run.
import type { Disease, Triage } from '../../../domain/diagnosis/diagnosis.ts';
import { asAppError } from '../../../domain/errors.ts';
import type { Language } from '../../../domain/language.ts';
import { present } from '../../../domain/present.ts';
import { type EvidenceView, evidenceView } from '../../../domain/run/evidence-view.ts';
import type { Run } from '../../../domain/run/run.ts';
import type { StepResults } from '../../../domain/run/step-results.ts';
import type { DraftState } from '../../../flows/reviews/draft-state.ts';
import type { DraftReading, RunOfVisit } from '../../../flows/reviews/read-draft.ts';
import { type DraftBanner, draftBanner, siteTime } from './draft-banner.ts';
import { type DraftSection, draftSections } from './draft-sections.ts';

export type DraftModel = {
  readonly language: Language;
  readonly run: Run;
  readonly state: DraftState;
  readonly banner?: DraftBanner;
  readonly noteTitle?: string;
  readonly sections: readonly DraftSection[];
  readonly missing: EvidenceView['missing'];
  readonly triage?: Triage;
  readonly diseases: readonly Disease[];
  readonly isCheckedTwice?: boolean;
  /** Another person who has opened it, with the time in words. */
  readonly claim?: { readonly name: string; readonly time: string };
  readonly decidedAt?: string;
  readonly canBeCorrected: boolean;
  /** The run that makes another draft of this session, or has made one. */
  readonly newer?: RunOfVisit;
  /** Why the last decision was not taken. */
  readonly refusal?: string;
  /** In each form: it belongs to the session for which the page is drawn. */
  readonly formToken: string;
  /** The name of who is signed in. */
  readonly reader: string;
  /** Absent if this draft is the only one that the reader can see. */
  readonly listAddress?: string;
  /** Absent in a frame. */
  readonly accountAddress?: string;
};

type Reader = Pick<DraftModel, 'formToken' | 'reader'> & {
  readonly language: Language;
  readonly listAddress?: string | undefined;
  readonly accountAddress?: string | undefined;
  readonly refusal?: string | undefined;
};

export function draftModel(reading: DraftReading, reader: Reader): DraftModel {
  const { view, state, settings, claim, canBeCorrected, newer } = reading;
  const { run, results = {} } = view;
  const { language, listAddress, accountAddress, refusal, formToken, reader: name } = reader;
  const { check, diagnose, 'write-note': written, 'read-chart': chart } = results;
  const note = check?.note ?? written?.note;
  const evidence = evidenceOf(results);
  const noteLanguage = written?.language ?? 'en';
  const place = { settings, timeZone: settings.timeZone, language };
  const timeOf = (time: Date) => siteTime(time, place);
  return present({
    formToken,
    reader: name,
    language,
    run,
    state,
    canBeCorrected,
    newer,
    sections:
      note === undefined
        ? []
        : draftSections(note, {
            checked: written?.note,
            statements: evidence?.statements ?? [],
            language: noteLanguage,
          }),
    missing: evidence?.missing ?? [],
    diseases: diagnose?.diagnosis.diagnosis.diseases ?? [],
    triage: diagnose?.diagnosis.triage,
    banner: chart && draftBanner({ ...chart, ...place }),
    noteTitle: note?.note.title,
    isCheckedTwice: check?.report.verifier && check.report.verifier.outcome === 'checked',
    claim: claim && { name: claim.name, time: timeOf(claim.claimedAt) },
    decidedAt: run.review && timeOf(new Date(run.review.time)),
    listAddress,
    accountAddress,
    refusal,
  });
}

/** Undefined before the note was checked, and after its results were deleted. */
function evidenceOf(results: Partial<StepResults>): EvidenceView | undefined {
  try {
    return evidenceView(results);
  } catch (thrown) {
    if (asAppError(thrown).code === 'notFound') return undefined;
    throw thrown;
  }
}
