// The names of visits: the scenario's name, with a number for each further visit.
import type { SandboxPatient } from '../patients/sandbox-patient.ts';

export function scenarioOfVisit(name: string, scenarios: readonly SandboxPatient[]): SandboxPatient | undefined {
  return scenarios.find(({ id }) => numberIn(name, id) !== undefined);
}

export function newestName(scenario: string, names: readonly string[]): string | undefined {
  return names
    .toSorted((one, other) => (numberIn(other, scenario) ?? 0) - (numberIn(one, scenario) ?? 0))
    .find((name) => numberIn(name, scenario) !== undefined);
}

export function nextName(scenario: string, names: readonly string[]): string {
  const numbers = names.flatMap((name) => numberIn(name, scenario) ?? []);
  return numbers.length === 0 ? scenario : `${scenario}-${Math.max(...numbers) + 1}`;
}

/** Returns 1 for the scenario's name without a number. */
function numberIn(name: string, scenario: string): number | undefined {
  if (name === scenario) return 1;
  const rest = name.startsWith(`${scenario}-`) ? name.slice(scenario.length + 1) : '';
  return /^[1-9]\d{0,5}$/.test(rest) ? Number(rest) : undefined;
}
