// A write that was sent is not in the chart yet, and its absence is not certain yet either. The EHR shows what it stores at once, so the run
// looks again soon and not only when absence is certain. Such a look is no failed attempt: how many there are is bounded by the time after
// which absence is certain.
import { AppError } from '../errors.ts';

export class LookAgain extends AppError {
  constructor(publicMessage: string, retryAfterSeconds: number) {
    super('ehrUncertain', publicMessage, { retryAfterSeconds });
  }
}
