// Decides by the patient's consent whether an encounter may be documented from a recording: from all Consents of the chart and the site's
// rule. A Consent that cannot be read is never a permission.
import { type ConsentUse, judgeConsent } from './consent-provision.ts';
import type { SiteSettings } from './site.ts';

/** The Consents of one patient, as far as the EHR returned them. */
export type ConsentRecords =
  | {
      readonly kind: 'read';
      /** Data from the EHR of any shape. */
      readonly consents: readonly unknown[];
      /** False if the EHR has more. */
      readonly isComplete: boolean;
    }
  /** The EHR states that it has no Consents. */
  | { readonly kind: 'not-offered' }
  /** The EHR refused, or its answer is not FHIR. */
  | { readonly kind: 'unreadable' };

export type ConsentAnswer = 'yes' | 'no' | 'unknown';

/** The result of the site's own test, if `consent.recording` is an expression. */
export type ConsentTest = ConsentAnswer | undefined;

export type ConsentQuestion = {
  readonly read: ConsentRecords;
  readonly use: ConsentUse;
  readonly test: ConsentTest;
};

/** `refused` is final: the encounter is skipped. `held` waits for a person. */
export type ConsentDecision =
  | { readonly kind: 'granted' }
  | { readonly kind: 'refused' | 'held'; readonly message: string };

type ConsentSettings = SiteSettings['consent'];

/** `deny` if any Consent denies; `unclear` also if a Consent could not be read, since it may deny. */
function summaryOf({ read, use }: ConsentQuestion): 'permit' | 'deny' | 'unclear' | 'none' {
  if (read.kind === 'not-offered') return 'none';
  if (read.kind === 'unreadable') return 'unclear';
  const verdicts = new Set(read.consents.map((consent) => judgeConsent(consent, use)));
  if (verdicts.has('deny')) return 'deny';
  if (verdicts.has('unclear') || !read.isComplete) return 'unclear';
  return verdicts.has('permit') ? 'permit' : 'none';
}

export function decideConsent(settings: ConsentSettings, question: ConsentQuestion): ConsentDecision {
  const summary = summaryOf(question);
  // A denial applies under every rule, also under a test of the site's own.
  if (summary === 'deny') return { kind: 'refused', message: DENIED };
  const rule = settings.recording;
  if (rule === 'required') {
    // The setting `unknown` has no effect here: proceeding without a readable permission would defeat `required`.
    return summary === 'permit' ? GRANTED : { kind: 'held', message: missing(summary, question.read) };
  }
  const isByChart = rule === 'opt-out' || rule === 'by-source';
  const answer = isByChart ? answerWithoutDenial(summary) : (question.test ?? 'unknown');
  if (answer === 'yes') return GRANTED;
  if (answer === 'no') return { kind: 'refused', message: TEST_DENIED };
  if (settings.unknown === 'proceed') return GRANTED;
  return { kind: 'held', message: isByChart ? uncertaintyOf(question.read) : TEST_UNKNOWN };
}

function answerWithoutDenial(summary: 'permit' | 'unclear' | 'none'): ConsentAnswer {
  return summary === 'unclear' ? 'unknown' : 'yes';
}

const GRANTED: ConsentDecision = { kind: 'granted' };
const DENIED = 'The patient does not consent: an active Consent of the chart denies it.';
const TEST_DENIED = "The patient does not consent: the site's own test (consent.recording) returns false.";
const TEST_UNKNOWN =
  "It is unknown whether the patient consents: the site's own test (consent.recording) returns neither true nor false.";

function missing(summary: 'unclear' | 'none', read: ConsentRecords): string {
  const none = read.kind === 'not-offered' ? 'This EHR has no Consents.' : 'The chart has no active Consent that does.';
  return `A Consent of the chart must permit it (consent.recording: required). ${summary === 'none' ? none : uncertaintyOf(read)}`;
}

function uncertaintyOf(read: ConsentRecords): string {
  if (read.kind === 'unreadable') return 'The Consents of the chart cannot be read.';
  if (read.kind === 'read' && !read.isComplete) return 'Not all Consents of the chart can be read.';
  return 'No Consent of the chart clearly permits it, and the engine cannot decide whether one denies it.';
}
