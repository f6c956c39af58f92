// The words of the review in English; their type is that of the other languages.
import type { Category } from '../../../domain/diagnosis/diagnosis.ts';
import type { ChartList, Effect, StatementEvidence, StatementKind } from '../../../domain/note/check-report.ts';
import type { Purpose } from '../../../domain/people/purpose.ts';
import type { RejectCategory } from '../../../domain/run/draft-decision.ts';
import type { HeldReason } from '../../../domain/run/run.ts';
import type { DraftState } from '../../../flows/reviews/draft-state.ts';

type Verdict = StatementEvidence['verdict'];
type NamedTime = { readonly name: string; readonly time: string };

export type ReviewTexts = {
  readonly pageTitle: string;
  readonly listTitle: string;
  readonly visitTitle: string;
  readonly born: string;
  readonly mrn: string;
  readonly noName: string;
  readonly visit: string;
  readonly noTime: string;
  readonly gender: Readonly<Record<'male' | 'female' | 'other' | 'unknown', string>>;
  readonly machineDraft: string;
  readonly red: string;
  readonly held: Readonly<Partial<Record<HeldReason, string>>>;
  readonly checkFailed: string;
  readonly note: string;
  readonly noNote: string;
  readonly verdicts: Readonly<Record<Verdict, string>>;
  readonly marks: (count: number) => string;
  readonly restsOn: string;
  readonly nothingSaid: string;
  readonly speaker: string;
  readonly inChart: Readonly<Record<ChartList, string>>;
  readonly emptyList: string;
  readonly found: string;
  readonly effects: Readonly<Record<Effect, string>>;
  readonly missing: string;
  readonly missingLead: string;
  readonly kinds: Readonly<Record<StatementKind, string>>;
  readonly differential: string;
  readonly differentialLead: string;
  readonly triage: string;
  readonly categories: Readonly<Record<Category, string>>;
  readonly tests: string;
  readonly decide: string;
  readonly approve: string;
  readonly approveLead: string;
  readonly edit: string;
  readonly editLead: string;
  readonly saveEdit: string;
  readonly reject: string;
  readonly rejectLead: string;
  readonly rejectReason: string;
  readonly rejectWhy: string;
  readonly categoriesOfRejection: Readonly<Record<RejectCategory, string>>;
  readonly correct: string;
  readonly correctLead: string;
  readonly correctHow: string;
  readonly correctReason: string;
  readonly noCategory: string;
  readonly askForCorrection: string;
  readonly newDraftComes: string;
  readonly newDraftThere: string;
  readonly openNewDraft: string;
  readonly claimedBy: (claim: NamedTime) => string;
  readonly decideAnyway: string;
  readonly states: Readonly<Record<Exclude<DraftState['kind'], 'open'>, string>>;
  readonly openHeld: string;
  readonly openInChart: string;
  readonly decidedBy: (decided: NamedTime & { readonly isEdited: boolean }) => string;
  readonly refused: string;
  readonly back: string;
  readonly again: string;
  readonly noDrafts: string;
  readonly noDraftsOfVisit: string;
  readonly otherRuns: string;
  readonly urgent: string;
  readonly claimed: (claim: Pick<NamedTime, 'name'>) => string;
  readonly more: string;
  readonly signedInAs: (name: string) => string;
  readonly notSignedIn: string;
  readonly howToComeIn: string;
  readonly signIn: string;
  readonly noRole: string;
  readonly noRoleLead: string;
  readonly notFound: string;
  readonly notFoundLead: string;
  readonly restricted: string;
  readonly restrictedLead: string;
  readonly openWhy: string;
  readonly openConsequence: string;
  readonly openChart: string;
  readonly whyRead: string;
  readonly whyReadLead: string;
  readonly purposes: Readonly<Record<Purpose, string>>;
  readonly notLetIn: string;
  readonly wentWrong: string;
  readonly internal: string;
};

export const ENGLISH: ReviewTexts = {
  pageTitle: 'Draft',
  listTitle: 'Drafts that wait for you',
  visitTitle: 'Drafts of this visit',
  born: 'born',
  mrn: 'MRN',
  noName: 'Name unknown',
  visit: 'Visit',
  noTime: 'time unknown',
  gender: { male: 'male', female: 'female', other: 'other', unknown: 'unknown' },
  machineDraft: 'A machine wrote this draft. Read it, correct it, and sign only what is right.',
  red: 'RED: urgent',
  held: {
    unsupported: 'The draft is held: it has statements that the recording does not support.',
    coverage: 'The draft is held: the transcript lacks parts of what was said.',
    language: 'The draft is held: another language was spoken than the one of the note.',
  },
  checkFailed: 'The second check of this note failed: it was checked by the first alone.',
  note: 'Note',
  noNote: 'The text of this draft was deleted. Its documents are in the chart, if it was written.',
  verdicts: {
    supported: 'supported',
    unsupported: 'not found in the recording',
    contradicted: 'the recording says otherwise',
    misplaced: 'said at another moment',
    conflict: 'the chart says otherwise',
    unchecked: 'not compared',
  },
  marks: (count) => (count === 1 ? '1 statement to look at' : `${count} statements to look at`),
  restsOn: 'What it rests on',
  nothingSaid: 'Nothing in the recording says this.',
  speaker: 'Speaker',
  inChart: {
    allergies: 'Chart, allergies',
    drugs: 'Chart, medication',
    problems: 'Chart, problems',
    sex: 'Chart, sex',
    birthDate: 'Chart, birth date',
  },
  emptyList: 'none listed',
  found: 'What the check found',
  effects: { none: '', mark: 'marked', hold: 'holds the note' },
  missing: 'Said, and not in the note',
  missingLead: 'The check heard these, and found no statement of the note that has them.',
  kinds: {
    drug: 'drug',
    dose: 'dose',
    number: 'number',
    laterality: 'side',
    allergy: 'allergy',
    date: 'date',
    negation: 'denied finding',
    attestation: 'signature or review',
    'drug-change': 'change of a drug',
    finding: 'finding',
    history: 'history',
    family: 'family history',
    social: 'social history',
    result: 'result',
    procedure: 'procedure',
    order: 'order',
    'follow-up': 'follow-up',
    disposition: 'disposition',
    consent: 'consent',
    pregnancy: 'pregnancy',
    resuscitation: 'resuscitation',
    'self-harm': 'self-harm',
  },
  differential: 'Differential diagnosis',
  differentialLead: 'A suggestion. It is not part of what you sign as your note.',
  triage: 'Triage',
  categories: { 'most-likely': 'most likely', expanded: 'possible', 'cant-miss': 'must not be missed' },
  tests: 'Tests',
  decide: 'Your decision',
  approve: 'Approve and sign',
  approveLead: 'You sign the note as it is above, with the marks in it.',
  edit: 'Edit, then sign',
  editLead:
    'Change the sections below. You sign the note with your changes. Delete the marks in brackets that you have checked.',
  saveEdit: 'Sign with these changes',
  reject: 'Reject',
  rejectLead: 'Nothing of this draft stays in the chart.',
  rejectReason: 'Reason',
  rejectWhy: 'In your words (kept in the chart only)',
  categoriesOfRejection: {
    'wrong-patient': 'another patient',
    'wrong-encounter': 'another visit',
    'not-usable': 'not usable',
    'invented-content': 'something was invented',
    'missing-content': 'something is missing',
    'wrong-language': 'wrong language',
    duplicate: 'there is a note already',
    other: 'something else',
  },
  correct: 'Ask for a correction',
  correctLead:
    'The note is written anew from the recording, with your instruction. This draft stays until the new one is there.',
  correctHow: 'What should be different',
  correctReason: 'What is wrong (optional)',
  noCategory: 'not said',
  askForCorrection: 'Write a new draft',
  newDraftComes: 'A new draft of this visit is being written. You can read it in a minute; you need not wait here.',
  newDraftThere: 'There is a newer draft of this visit. Decide about that one.',
  openNewDraft: 'Open the new draft',
  claimedBy: ({ name, time }) => `${name} has opened this draft before you (${time}).`,
  decideAnyway: 'Decide nevertheless',
  states: {
    'being-made': 'The draft is being made. Open this page again in a minute.',
    'being-written': 'The decision is stored, and the engine is writing it to the chart. You need not wait.',
    signed: 'It is in the chart.',
    rejected: 'The draft was rejected, and nothing of it is in the chart.',
    retracted: 'The draft was withdrawn from the chart.',
    stuck: 'There is nothing to decide here: those who run the engine have to help.',
    nothing: 'There is no draft to decide about.',
  },
  openHeld: 'It waits for your decision, and is not in the chart yet.',
  openInChart: 'It is in the chart as an unsigned draft, and waits for your decision.',
  decidedBy: ({ name, time, isEdited }) => `${isEdited ? 'Edited and signed' : 'Signed'} by ${name}, ${time}.`,
  refused: 'Your decision was not taken',
  back: 'All drafts',
  again: 'Read the draft again',
  noDrafts: 'No draft waits for you.',
  noDraftsOfVisit: 'No draft of this visit waits for you.',
  otherRuns: 'Also of this visit',
  urgent: 'RED or urgent',
  claimed: ({ name }) => `opened by ${name}`,
  more: 'More drafts',
  signedInAs: (name) => `Signed in as ${name}`,
  notSignedIn: 'You are not signed in',
  howToComeIn:
    'Open Chartwright from the chart of your patient. Your session ends after 15 minutes without use: open it again from the chart then.',
  signIn: 'Sign in without the chart',
  noRole: 'You are not a reviewer',
  noRoleLead: 'Only reviewers read drafts. An admin of your hospital gives the role.',
  notFound: 'There is no such draft',
  notFoundLead:
    'It does not exist, or it is not of the visit that is open. Open Chartwright again from the chart of the visit.',
  restricted: 'This chart is restricted',
  restrictedLead: 'You can open it if you must see it for the care of the patient.',
  openWhy: 'Why you must see it',
  openConsequence:
    'It is recorded that you opened the chart, the privacy officer is notified (if your hospital has named one) and can read your reason, and the chart closes again after one hour.',
  openChart: 'Open the chart',
  whyRead: 'Why do you read patient data?',
  whyReadLead: 'It is asked once for each session, and kept in the audit trail with what you read.',
  purposes: {
    TREAT: 'Treatment',
    ETREAT: 'Emergency treatment',
    HOPERAT: 'Healthcare operations',
    HPAYMT: 'Payment',
  },
  notLetIn: 'You could not be let in',
  wentWrong: 'That did not work',
  internal: 'Something went wrong in the engine. Try again; if it happens again, tell those who run it.',
};
