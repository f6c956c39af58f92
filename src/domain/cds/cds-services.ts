// The services that an EHR can call by CDS Hooks. They say which drafts of a patient wait for a clinician.

export const CDS_SERVICES = {
  'chartwright-drafts-patient-view': {
    hook: 'patient-view',
    title: 'Drafts that wait',
    description: 'When a chart is opened: says which AI drafts of this patient wait for a review, and links to them.',
    /** Drafts of all visits of the patient. */
    reach: 'patient',
  },
  'chartwright-drafts-encounter-discharge': {
    hook: 'encounter-discharge',
    title: 'Drafts of this visit',
    description: 'At the discharge: says whether an AI draft of this visit waits for a review, and links to it.',
    reach: 'encounter',
  },
} as const;

export type CdsServiceId = keyof typeof CDS_SERVICES;
export type CdsHook = (typeof CDS_SERVICES)[CdsServiceId]['hook'];

export function isCdsService(id: string): id is CdsServiceId {
  return Object.hasOwn(CDS_SERVICES, id);
}

export const CDS_OUTCOMES = ['accepted', 'overridden'] as const;
export type CdsOutcome = (typeof CDS_OUTCOMES)[number];

/** What a clinician can choose when putting a card away. */
export const OVERRIDE_REASONS = {
  later: 'I will review it later',
  'not-mine': 'It is not mine to review',
  known: 'I know of it already',
  'not-useful': 'This card does not help me',
} as const;
export const OVERRIDE_SYSTEM = 'urn:chartwright:cds-override';

/** `other`: a code that is none of ours. What the EHR or the person wrote is not kept. */
export type OverrideReason = keyof typeof OVERRIDE_REASONS | 'other';

export function overrideReasonOf(coding: {
  readonly code: string;
  readonly system?: string | undefined;
}): OverrideReason {
  const { code, system } = coding;
  const isOurs = system === OVERRIDE_SYSTEM && Object.hasOwn(OVERRIDE_REASONS, code);
  return isOurs ? (code as keyof typeof OVERRIDE_REASONS) : 'other';
}
