// May this encounter be documented from a recording, as far as the patient's consent goes: what the Consents of a chart say together,
// and what the site's rule makes of it. What cannot be read is never a yes.
import { type ConsentUse, judgeConsent } from './consent-provision.ts';
import type { SiteSettings } from './site.ts';

/** The Consents of one patient, as far as the EHR gave them. */
export type ConsentsRead =
  | {
      readonly kind: 'read';
      /** Typed as what they are: of any shape. */
      readonly consents: readonly unknown[];
      /** False where there would have been more. */
      readonly isComplete: boolean;
    }
  /** This EHR has no Consents, and says so. */
  | { readonly kind: 'not-offered' }
  /** It refused, or what it answered is no FHIR. */
  | { readonly kind: 'unreadable' };

export type ConsentAnswer = 'yes' | 'no' | 'unknown';

/** What the site's own test said, where `consent.recording` is an expression. */
export type ConsentTest = ConsentAnswer | undefined;

export type ConsentQuestion = {
  readonly read: ConsentsRead;
  readonly use: ConsentUse;
  readonly test: ConsentTest;
};

/** A refusal is final: the encounter is skipped. A doubt that holds waits for a person. */
export type ConsentDecision =
  | { readonly kind: 'granted' }
  | { readonly kind: 'refused' | 'held'; readonly message: string };

type ConsentSettings = SiteSettings['consent'];

/** `deny` where any of them denies. `unclear` also where one of those that nobody could read might. */
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
  // A refusal is heard whatever the rule is, also where the site has a test of its own.
  if (summary === 'deny') return { kind: 'refused', message: DENIED };
  const rule = settings.recording;
  if (rule === 'required') {
    // `unknown` has no say here: to go on without a permission that can be read would make `required` mean nothing.
    return summary === 'permit' ? GRANTED : { kind: 'held', message: missing(summary, question.read) };
  }
  const isByChart = rule === 'opt-out' || rule === 'by-source';
  const answer = isByChart ? answerWithoutDenial(summary) : (question.test ?? 'unknown');
  if (answer === 'yes') return GRANTED;
  if (answer === 'no') return { kind: 'refused', message: TEST_DENIED };
  if (settings.unknown === 'proceed') return GRANTED;
  return { kind: 'held', message: isByChart ? doubtOf(question.read) : TEST_UNKNOWN };
}

function answerWithoutDenial(summary: 'permit' | 'unclear' | 'none'): ConsentAnswer {
  return summary === 'unclear' ? 'unknown' : 'yes';
}

const GRANTED: ConsentDecision = { kind: 'granted' };
const DENIED = 'The patient does not consent: an active Consent of the chart denies it.';
const TEST_DENIED = "The patient does not consent: the site's own test (consent.recording) says no.";
const TEST_UNKNOWN =
  "Nobody knows if the patient consents: the site's own test (consent.recording) says neither yes nor no.";

function missing(summary: 'unclear' | 'none', read: ConsentsRead): string {
  const none =
    read.kind === 'not-offered' ? 'This EHR keeps no Consents.' : 'The chart has no active Consent that does.';
  return `A Consent of the chart must permit it (consent.recording: required). ${summary === 'none' ? none : doubtOf(read)}`;
}

function doubtOf(read: ConsentsRead): string {
  if (read.kind === 'unreadable') return 'The Consents of the chart cannot be read.';
  if (read.kind === 'read' && !read.isComplete) return 'Not all Consents of the chart can be read.';
  return 'None of the Consents of the chart clearly permits it, and nobody here can tell if one denies it.';
}
