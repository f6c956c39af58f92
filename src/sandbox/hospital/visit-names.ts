// The names of visits: the scenario's name, with a number for each further visit.
import type { SandboxPatient } from '../patients/sandbox-patient.ts';

export function scenarioOfVisit(name: string, stories: readonly SandboxPatient[]): SandboxPatient | undefined {
  return stories.find(({ id }) => numberIn(name, id) !== undefined);
}

export function newestName(story: string, names: readonly string[]): string | undefined {
  return names
    .toSorted((one, other) => (numberIn(other, story) ?? 0) - (numberIn(one, story) ?? 0))
    .find((name) => numberIn(name, story) !== undefined);
}

export function nextName(story: string, names: readonly string[]): string {
  const numbers = names.flatMap((name) => numberIn(name, story) ?? []);
  return numbers.length === 0 ? story : `${story}-${Math.max(...numbers) + 1}`;
}

/** Returns 1 for the scenario's name without a number. */
function numberIn(name: string, story: string): number | undefined {
  if (name === story) return 1;
  const rest = name.startsWith(`${story}-`) ? name.slice(story.length + 1) : '';
  return /^[1-9]\d{0,5}$/.test(rest) ? Number(rest) : undefined;
}
