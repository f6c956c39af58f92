// Who is scored: the reasoner that the engine's own settings choose, or the built-in one.
import { makeReasoner } from '../../src/composition/make-reasoner.ts';
import { readConfig } from '../../src/config.ts';
import { isRules } from '../../src/domain/site/engine-choice.ts';
import type { Reasoner } from '../../src/ports/reasoner.ts';

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
