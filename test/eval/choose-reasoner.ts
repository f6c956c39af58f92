// Who is scored: the reasoner that the engine's own settings choose, or the built-in one.
import { makeReasoner } from '../../src/composition/make-reasoner.ts';
import { makeVerifier } from '../../src/composition/make-verifier.ts';
import { readConfig } from '../../src/config.ts';
import { isRules } from '../../src/domain/site/engine-choice.ts';
import type { Reasoner } from '../../src/ports/reasoner.ts';
import type { Verifier } from '../../src/ports/verifier.ts';

export const REASONERS = ['builtin', 'configured'] as const;
export type ReasonerOption = (typeof REASONERS)[number];

export type ChosenReasoner = {
  readonly reasoner: Reasoner;
  readonly isBuiltin: boolean;
  /** How many calls it is to bear at once. */
  readonly atOnce: number;
};

const MODEL_CALLS_AT_ONCE = 4;

/** Throws where a configured one is asked for and there is none. Nothing asked: the configured one, else the built-in one. */
export async function chooseReasoner(
  asked: ReasonerOption | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ChosenReasoner> {
  const config = readConfig(asked === 'builtin' ? {} : environment);
  const reasoner = await makeReasoner(config, () => undefined);
  const isBuiltin = isRules(reasoner.engine);
  if (isBuiltin && asked === 'configured') {
    throw new Error('No reasoner is configured: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own');
  }
  return { reasoner, isBuiltin, atOnce: isBuiltin ? 1 : MODEL_CALLS_AT_ONCE };
}

/** The second check of notes. Throws if a configured one is asked for and there is none. Without a question there is none. */
export async function chooseVerifier(
  asked: ReasonerOption | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Verifier | undefined> {
  if (asked !== 'configured') return undefined;
  const verifier = await makeVerifier(readConfig(environment), () => undefined);
  if (verifier !== undefined) return verifier;
  throw new Error('No verifier is configured: set VERIFIER_MODEL with VERIFIER_API_KEY or VERIFIER_BASE_URL');
}
