// Why someone who comes from the EHR is not let in: a closed set, with a sentence for the person. Ids and names of the person are never in it.
import { AppError } from '../errors.ts';

const LAUNCH_REFUSALS = {
  issuer:
    'This launch does not come from an EHR that this hospital has named. If you came from the chart, ask the hospital to add the address of its EHR to launch.issuers.',
  'no-issuer': 'This launch does not say from which EHR it comes. Open the draft from the chart again.',
  frame: 'This hospital does not show Chartwright inside of the EHR. Open it in a window of its own.',
  attempt:
    'This launch has ended, was used before, or was begun in another browser. Open the draft from the chart again. If this happens every time, the browser does not keep cookies in a frame: ask for Chartwright in a window of its own.',
  denied: 'The EHR did not let you in. Open the draft from the chart again, or ask those who run the EHR.',
  token:
    'What the EHR said about you cannot be trusted: its signature, time or addressee is wrong. Ask those who run the EHR and this engine.',
  scopes:
    'The EHR did not say who you are: it did not grant openid and fhirUser. Ask those who run the EHR to allow them for Chartwright.',
  'not-practitioner':
    'The EHR knows you as a patient or relative. Only clinicians can review drafts: sign in to the EHR as one.',
  'other-base': 'The EHR names a clinician of another server. Ask those who run the EHR.',
  unreadable:
    'The EHR does not let Chartwright read who you are. Ask those who run the EHR to allow it to read Practitioner with fhirUser.',
  'practitioner-gone': 'The EHR does not have you among its clinicians any more. Ask those who run the EHR.',
  'practitioner-inactive': 'The EHR has marked you as no longer active. Ask those who run the EHR.',
  'no-encounter':
    'The EHR did not say which visit is open. Open the visit in the chart first, and Chartwright from there.',
  'no-role': 'You are not a reviewer of this hospital.',
  'other-practitioner':
    'Your account belongs to another clinician of the EHR than the one that you are signed in as. Ask an admin of this hospital.',
  disabled: 'Your account is disabled. Ask an admin of this hospital.',
} as const satisfies Readonly<Record<string, string>>;
export type LaunchRefusal = keyof typeof LAUNCH_REFUSALS;

type RefusalParts = {
  /** A code for the audit trail: `OAUTH_JWT_TIMESTAMP_CHECK_FAILED`. */
  readonly fault?: string;
  /** A further sentence for the person. */
  readonly more?: string;
  /** `Practitioner/7`, for the audit trail. */
  readonly practitioner?: string;
  readonly cause?: unknown;
};

export class LaunchRefused extends AppError {
  readonly why: LaunchRefusal;
  readonly fault: string | undefined;
  readonly practitioner: string | undefined;

  constructor(why: LaunchRefusal, { fault, more, practitioner, cause }: RefusalParts = {}) {
    super('forbidden', [LAUNCH_REFUSALS[why], more].filter(Boolean).join(' '), { cause });
    this.why = why;
    this.fault = fault;
    this.practitioner = practitioner;
  }
}
