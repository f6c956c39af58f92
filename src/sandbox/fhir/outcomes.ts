// The OperationOutcomes of refusals, and their HTTP status codes.
import { getStatus } from '@medplum/core';
import type { OperationOutcome } from '@medplum/fhirtypes';
import { NOT_ALLOWED_ID } from './store-repository.ts';

type IssueCode = OperationOutcome['issue'][number]['code'];

export function outcome(code: IssueCode, text: string): OperationOutcome {
  return { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code, details: { text } }] };
}

export function statusOf(outcome: OperationOutcome): number {
  return outcome.id === NOT_ALLOWED_ID ? 405 : getStatus(outcome);
}
