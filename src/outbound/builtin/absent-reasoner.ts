// Stands where no reasoner is configured: answers nothing, invents nothing, says which setting to make.
import { AppError } from '../../domain/errors.ts';
import type { DiagnosisEvent, Reasoner } from '../../ports/reasoner.ts';

/** `message` is shown to callers and operators: it names the setting. */
export function makeAbsentReasoner(message: string): Reasoner {
  const ensureConfigured = (): never => {
    throw new AppError('notConfigured', message);
  };
  const refuse = async (): Promise<never> => ensureConfigured();
  return {
    engine: undefined,
    ensureConfigured,
    diagnose: refuse,
    // biome-ignore lint/correctness/useYield: it never gets to an event.
    streamDiagnosis: async function* (): AsyncGenerator<DiagnosisEvent> {
      await refuse();
    },
    writeNote: refuse,
  };
}
