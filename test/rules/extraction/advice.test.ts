// Findings in advice for a worse time are not present; findings under a condition without advice are.
import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../../src/domain/language.ts';
import { makeExtractFacts } from '../../../src/rules/extraction/extract-facts.ts';
import { fc } from '../../support/fast-check.ts';
import { shippedKnowledge } from '../knowledge/shipped-knowledge.ts';
import { extract, shortly, sorted } from './small-lexicon.ts';

function expectFindings(text: string, findings: string): void {
  expect({ text, findings: shortly(extract(text)) }).toEqual({ text, findings: sorted(findings) });
}

describe('Advice for a worse time states no finding', () => {
  it.each([
    ['If you get chest pain, call 999.'],
    ['If fever, vomiting or a rash, come back.'],
    ['If the headache comes on at night, or with fever or a rash, go to the emergency room at once.'],
    ['If he has a fever or a rash he should come back.'],
    ['Should she have a fever or a rash, ring the surgery.'],
    ['Call if you are vomiting, short of breath or have chest pain.'],
    ['Come back in two days. Or if there is a rash.'],
    ['Come back if there is a rash. Or a fever.'],
    ['Call us if he vomits. And if he has a fever.'],
    ['If chest pain. Call 999.'],
    ['Any chest pain — ring 999.'],
    ['Any chest pain or shortness of breath, come straight back.'],
    ['Come back in case of fever or vomiting.'],
    ['In the event of fever, vomiting or a rash, ring the ward.'],
    ['Watch for fever, vomiting and a rash.'],
    ['Watch out for chest pain or shortness of breath.'],
    ['Warning signs are fever, vomiting and chest pain.'],
    ['See you in six weeks. Sooner if fever or a rash.'],
    ['If fever or headache, take paracetamol.'],
    ['Si tiene fiebre o cefalea, tome paracetamol.'],
    ['Se tiver febre ou cefaleia, tome dipirona.'],
    ['Si le da fiebre o tos, vuelva.'],
    ['Si le da fiebre o le duele el pecho, venga el mismo día.'],
    ['Si tiene dolor de pecho, falta de aire o vómitos, acuda a urgencias.'],
    ['Acuda a urgencias ante fiebre, vómitos o dolor de pecho.'],
    ['Vuelva si tiene fiebre, o si vomita.'],
    ['Vuelva en tres días. O si le duele el pecho.'],
    ['Y si le duele el pecho, me llama.'],
    ['Si vomita o tiene mucha fiebre, la trae enseguida.'],
    ['Le veo en un mes. Antes si tiene fiebre.'],
    ['En caso de fiebre o vómitos, llame.'],
    ['Esté atenta a la fiebre y los vómitos.'],
    ['Se tiver febre ou tosse, volte.'],
    ['Se a febre voltar ou vomitar, procure o pronto-socorro.'],
    ['Procure o pronto-socorro se tiver dor no peito, febre ou vômitos.'],
    ['Caso tenha dor no peito ou falta de ar, ligue para o SAMU.'],
    ['Volte em três dias. Ou se tiver febre.'],
    ['Em seis semanas. Antes, se perder a força ou tiver febre.'],
    ['Se houver febre ou dor no peito, a senhora volta.'],
    ['Fique atento a febre e vômitos.'],
  ])('"%s" holds no finding', (text) => expectFindings(text, ''));
});

describe('A condition without advice, and a statement beside advice, states findings', () => {
  it.each([
    ['If I climb stairs I get chest pain.', 'chest-pain'],
    ['If he climbs stairs he gets chest pain.', 'chest-pain'],
    ['If he walks he gets chest pain, needs urgent review.', 'chest-pain'],
    ['If I lie flat I get short of breath, so I had to come to the emergency room.', 'breathlessness'],
    ['I called my doctor because if I breathe in I get chest pain.', 'chest-pain'],
    ['He wanted to call the doctor, and if he moves he is short of breath.', 'breathlessness'],
    ['The cough comes back if he runs.', 'cough'],
    ['When I cough, chest pain comes.', 'cough chest-pain'],
    ['I wonder if it is my heart, I have chest pain.', 'chest-pain'],
    ['If I take paracetamol the headache goes.', 'headache'],
    ['He asked if I had fever and I do.', '?fever'],
    ['If only I had come earlier: I have had chest pain since noon.', 'chest-pain'],
    ['If she gets chest pain it goes in ten minutes.', 'chest-pain'],
    ['Return if fever; patient has chest pain now.', 'chest-pain'],
    ['Come back if you get a fever, but you have chest pain today.', 'chest-pain'],
    ['Told to return if fever. Now has fever and vomiting.', 'fever vomiting'],
    ['She was told to come back if she had a fever, and she has a fever.', 'fever'],
    ['I was told to call if I had chest pain and I have chest pain.', 'chest-pain'],
    ['Si subo la cuesta me duele el pecho.', 'chest-pain'],
    ['Si camino me duele el pecho, vengo por eso a urgencias.', 'chest-pain'],
    ['Acude a urgencias porque si respira le duele el pecho.', 'chest-pain'],
    ['Sí, me duele el pecho y vomito.', 'chest-pain vomiting'],
    ['Me dijeron que vuelva si tengo fiebre, y tengo fiebre.', 'fever'],
    ['Le dijeron que volviera si tenía fiebre y hoy tiene fiebre.', 'fever'],
    ['Se me deito tenho falta de ar.', 'breathlessness'],
    ['Se eu subo a escada sinto dor no peito.', 'chest-pain'],
    ['Queixa-se de dor no peito e quer voltar ao hospital.', 'chest-pain'],
    ['Ele se queixa de febre. Volte amanhã.', 'fever'],
    ['Mandaram voltar se tivesse febre e hoje tem febre.', 'fever'],
  ])('"%s" holds the findings %s', expectFindings);

  const STATED = {
    en: ['The patient has chest pain.', 'There is a rash.', 'I have a fever.'],
    es: ['El paciente tiene dolor de pecho.', 'Hay sarpullido.', 'Tengo fiebre.'],
    pt: ['O paciente tem dor no peito.', 'Há manchas na pele.', 'Tenho febre.'],
  } as const;
  const ADVISED = {
    en: [
      'If chest pain, fever or a rash, call us.',
      'Come back if there is fever.',
      'Watch for chest pain.',
      'No fever, rash or chest pain.',
    ],
    es: [
      'Si tiene fiebre o sarpullido, vuelva.',
      'Acuda ante dolor de pecho.',
      'En caso de fiebre, llame.',
      'Sin fiebre ni sarpullido.',
    ],
    pt: [
      'Se tiver febre ou dor no peito, volte.',
      'Caso tenha febre, ligue.',
      'Em caso de febre, volte.',
      'Sem febre, sem dor no peito.',
    ],
  } as const;

  it('neither advice nor a denial retracts the finding of another sentence', () => {
    const aTalk = fc
      .constantFrom(...LANGUAGES)
      .chain((language) =>
        fc.tuple(
          fc.constantFrom(...STATED[language]),
          fc.array(fc.constantFrom(...ADVISED[language]), { maxLength: 3 }),
          fc.array(fc.constantFrom(...ADVISED[language]), { maxLength: 3 }),
        ),
      );
    fc.assert(
      fc.property(aTalk, ([stated, before, behind]) => {
        const whole = extract([...before, stated, ...behind].join(' ')).findings;
        for (const id of extract(stated).findings.keys()) expect(whole.get(id)?.presence).toBe('present');
      }),
      { numRuns: 300 },
    );
  });
});

describe('A denial of a whole list', () => {
  it.each([
    ['Fever, rash? Cough?\nNo. None of that.', '-fever -rash -cough'],
    ['Speaker 1: Fever, rash? Cough?\nSpeaker 2: No. None of that.', '-fever -rash -cough'],
    ['Speaker 1: ¿Fiebre, vómitos? ¿Tos?\nSpeaker 2: No, nada de eso.', '-fever -vomiting -cough'],
    ['Speaker 1: Febre, vômitos? Tosse?\nSpeaker 2: Não, nada disso.', '-fever -vomiting -cough'],
    ['Chest pain? Fever?\nNo.', '?chest-pain -fever'],
    ['Chest pain? Yes. Fever?\nNo. None of that.', 'chest-pain -fever'],
    ['Chest pain? For how long? Fever?\nNo. None of that.', '?chest-pain -fever'],
  ])('"%s" holds the findings %s', expectFindings);
});

describe('With the shipped knowledge', () => {
  const heard = makeExtractFacts(shippedKnowledge());

  it.each([
    ['La puñopercusión no duele, ni a la derecha ni a la izquierda.', 'flank-tenderness', 'absent'],
    ['La puñopercusión duele.', 'flank-tenderness', 'present'],
    ['He brings everything home from daycare.', 'vomiting', undefined],
    ['He brings up everything he eats.', 'vomiting', 'present'],
    ['He brings everything up.', 'vomiting', 'present'],
    ['Me duele la pantorrilla y la siento caliente.', 'fever', undefined],
    ['Mi hija está rara y la noto caliente.', 'fever', 'present'],
    ['If the thoughts of dying come, call us.', 'suicidal-thoughts', undefined],
    ['If a headache comes on like a thunderclap, go to the emergency room.', 'thunderclap-headache', undefined],
  ])('in "%s" the finding %s is %s', (text, finding, presence) => {
    expect(heard(text).findings.get(finding)?.presence).toBe(presence);
  });
});
