// The EHR, or its token server, refuses the engine's credentials. `ehrUnavailable` as long as the refusal may pass, `ehrRefused` once it stays.
import { AppError } from './errors.ts';

type ProblemParts = {
  readonly isPassing: boolean;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
};

export class CredentialsProblem extends AppError {
  constructor(publicMessage: string, { isPassing, retryAfterSeconds, cause }: ProblemParts) {
    super(isPassing ? 'ehrUnavailable' : 'ehrRefused', publicMessage, {
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(cause !== undefined && { cause }),
    });
  }
}
