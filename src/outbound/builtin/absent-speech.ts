// Stands where nobody listens: every transcription fails and says which setting is missing. Never makes words up.
import { AppError } from '../../domain/errors.ts';
import type { Speech } from '../../ports/speech.ts';

export function makeAbsentSpeech(message: string): Speech {
  const ensureConfigured = (): never => {
    throw new AppError('notConfigured', message);
  };
  return { engine: undefined, ensureConfigured, transcribe: async () => ensureConfigured() };
}
