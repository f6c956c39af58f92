// Types commands, as a person or a program does, against the real /ops of a test.
import { OPERATOR_KEY } from '../inbound/http/ops/ops-engine.ts';
import { type Outcome, type Person, runProgram } from './mappings/mappings-program.ts';

/** The fixed time of the engine and of the person. */
export const NOW = new Date('2026-11-21T08:00:00Z');

export type Typed = string | readonly string[];

export function typeCommand(baseUrl: string, typed: Typed, person: Person = {}): Promise<Outcome> {
  const { environment, ...rest } = person;
  const args = typeof typed === 'string' ? typed.split(' ') : typed;
  return runProgram(args, {
    now: NOW,
    ...rest,
    environment: { CHARTWRIGHT_URL: baseUrl, OPERATOR_KEY, ...environment },
  });
}

export const lines = (text: string) => text.trimEnd().split('\n');
