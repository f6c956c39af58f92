// A question behind a lead-in is no finding until it is answered, and a "no" denies it.
import { describe, expect, it } from '@jest/globals';
import { extract, shortly } from './small-lexicon.ts';

describe('A question behind a lead-in', () => {
  it.each([
    ['And have you had any chest pain?\nPatient: No.', '-chest-pain'],
    ['Okay and have you had any chest pain?\nNo.', '-chest-pain'],
    ['Now do you have any fever at all?\nPatient: No.', '-fever'],
    ['So have you had any fever at all?\nPatient: Yes.', 'fever'],
    ['Now do you have any fever at all?\nWe will see.', '?fever'],
    ['Entonces ha tenido usted dolor en el pecho?\nPaciente: No.', '-chest-pain'],
    ['Então a senhora teve dor no peito?\nPaciente: Não.', '-chest-pain'],
    ['Certo, e agora a senhora teve dor no peito?\nPaciente: Não.', '-chest-pain'],
  ])('is answered by what follows: "%s"', (text, findings) => {
    expect(shortly(extract(text))).toBe(findings);
  });
});
