// Why a person reads patient data: the codes of HL7 v3-ActReason that apply here. It is asked once for each session and is in the audit
// trail with each read.

export const PURPOSES = ['TREAT', 'ETREAT', 'HOPERAT', 'HPAYMT'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** `BTG`: a restricted chart was opened by break-glass, with a reason. */
export type RecordedPurpose = Purpose | 'BTG';

export const PURPOSE_NAMES: Readonly<Record<RecordedPurpose, string>> = {
  TREAT: 'treatment',
  ETREAT: 'emergency treatment',
  HOPERAT: 'healthcare operations',
  HPAYMT: 'payment',
  BTG: 'break-glass',
};
