// The floor of the sandbox's encounters: no chart says what must not appear in it.
import type { Floor } from './judge-floors.ts';
import { isFact, type SandboxReport } from './sandbox-summary.ts';

export function sandboxFloors({ rows, misread }: SandboxReport): readonly Floor[] {
  const facts = misread.filter(isFact);
  const ended = rows.find(({ language }) => language === 'all')?.ended;
  return [
    {
      group: 'sandbox',
      what: 'misread facts',
      wanted: 'none',
      given: String(facts.length),
      // A reasoner that writes nothing misreads nothing, and has shown nothing.
      isKept: facts.length === 0 && (ended?.met ?? 0) > 0,
      ...(facts.length > 0 && { isKnown: facts.every(({ isKnown }) => isKnown === true) }),
    },
  ];
}
