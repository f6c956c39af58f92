// Acts that the note states: orders, procedures, consent, changes of drugs, referrals, and others that the talk has to mention.
import type { CheckWork, ClaimWithVerdict } from './check-work.ts';

export function actClaims(_work: CheckWork): readonly ClaimWithVerdict[] {
  return [];
}
