import { describe, expect, it } from '@jest/globals';
import type { Triage } from '../../../src/domain/diagnosis/diagnosis.ts';
import { LANGUAGES } from '../../../src/domain/language.ts';
import { buildDiagnosis } from '../../../src/rules/answers/build-diagnosis.ts';
import type { UnseenContent } from '../../../src/rules/answers/unseen-content.ts';
import type { HistoryFacts } from '../../../src/rules/extraction/history-facts.ts';
import type { Condition } from '../../../src/rules/knowledge/knowledge.ts';
import { fc } from '../../support/fast-check.ts';
import { anyHeard, anyKnowledge } from '../reasoning/arbitrary-knowledge.ts';
import { aCondition, aFinding, aHeard, aKnowledge, hearClauses, inAll, LUNGS } from '../reasoning/made-up-knowledge.ts';

/** Fixed, so that each run tests the same cases. */

const nothing: UnseenContent = { images: 0, documents: 0, parts: 0 };
const RULES = {
  en: 'This assessment was made by rules, not by a clinician or a language model.',
  es: 'Esta valoración la hicieron reglas, no un profesional clínico ni un modelo de lenguaje.',
  pt: 'Esta avaliação foi feita por regras, não por um profissional de saúde nem por um modelo de linguagem.',
};
/** Promises that no triage may make, in any language. */
const PROMISES = /\b(?:safe|harmless|healthy|nothing to worry|segur[oa]|san[oa]|inofensiv[oa]|saudável)\b/i;

function triageOf(
  facts: HistoryFacts,
  parts: { unseen?: Partial<UnseenContent>; language?: 'en' | 'es' | 'pt' } = {},
): Triage {
  const { unseen = {}, language = 'en' } = parts;
  return buildDiagnosis({ knowledge: LUNGS, facts, unseen: { ...nothing, ...unseen }, language }).triage;
}

describe('The text of an urgent triage', () => {
  it('names the danger signs with the words of the text', () => {
    const facts = aHeard({ findings: { 'coughing-blood': { quote: 'spat red' }, cough: { quote: 'spat red' } } });
    expect(triageOf(facts)).toEqual({
      triage_level: 'RED',
      triage_justification: `Urgent: the text names danger signs: coughing blood (“spat red”). ${RULES.en}`,
      triage_recommendation: expect.stringContaining('A clinician has to see this person now'),
    });
  });

  it('names a danger sign once if another one implies it', () => {
    const knowledge = aKnowledge({
      findings: [
        aFinding('low-oxygen', { isDanger: true }),
        aFinding('blue-lips', { isDanger: true, implies: ['low-oxygen'] }),
      ],
    });
    const facts = aHeard({ findings: { 'low-oxygen': { quote: 'blue' }, 'blue-lips': { quote: 'blue' } } });
    const { triage } = buildDiagnosis({ knowledge, facts, unseen: nothing, language: 'en' });
    expect(triage.triage_justification).toContain('danger signs: blue lips (“blue”).');
  });

  it('names findings that are dangerous together, and conditions that must not be missed', () => {
    expect(triageOf(hearClauses('chest pain, sweating')).triage_justification).toContain(
      'findings that are dangerous together: Chest pain with sweating.',
    );
    const embolism = hearClauses('chest pain, calf pain, recent surgery');
    expect(triageOf(embolism, { language: 'es' }).triage_justification).toContain(
      'encaja con lo que no debe pasarse por alto: Embolia pulmonar.',
    );
  });

  it.each([
    ['en', 'little of this was recognised; it is told like an emergency', 'has to look at the original now'],
    ['es', 'se reconoció poco de esto; está contado como una urgencia', 'debe mirar el original ahora'],
    ['pt', 'pouco disto foi reconhecido; está contado como uma emergência', 'precisa ver o original agora'],
  ] as const)(
    'says in %s that it sounds like an emergency, and lists neither words nor findings',
    (language, why, next) => {
      const weights = {
        findings: new Map([['cough', 1]]),
        words: { en: new Map([['grey', 1]]), es: new Map(), pt: new Map() },
      };
      const urgency = { start: 0, urgentFrom: 0, shortest: 1, longest: 9, ...weights };
      const facts = aHeard({ findings: { cough: 'present' }, words: new Map([['grey', 'Grey']]) });
      const { triage } = buildDiagnosis({ knowledge: { ...LUNGS, urgency }, facts, unseen: nothing, language });
      expect(triage).toEqual({
        triage_level: 'RED',
        triage_justification: expect.stringContaining(why),
        triage_recommendation: expect.stringContaining(next),
      });
      expect(triage.triage_justification).not.toMatch(/grey|cough|tos\b|tosse/i);
    },
  );

  it('does not say that little was recognised if it was not', () => {
    const urgency = {
      start: 0,
      urgentFrom: 0,
      shortest: 0,
      longest: 9,
      findings: new Map(),
      words: { en: new Map(), es: new Map(), pt: new Map() },
    };
    const facts = hearClauses('cough, fever, runny nose');
    const { triage } = buildDiagnosis({ knowledge: { ...LUNGS, urgency }, facts, unseen: nothing, language: 'en' });
    expect(triage.triage_justification).toContain('nothing that was recognised is a danger by itself; it is told like');
  });

  it('says that files could not be read, and refers to the original', () => {
    const triage = triageOf(aHeard({ isHealth: false }), { unseen: { images: 2, documents: 1 } });
    expect(triage).toMatchObject({
      triage_level: 'RED',
      triage_justification: expect.stringContaining(
        'These rules read text only and did not see: 2 images, 1 PDF without readable text.',
      ),
      triage_recommendation: expect.stringContaining('has to look at the original now'),
    });
  });

  it.each([{ images: 1 }, { documents: 1 }, { parts: 1 }])(
    'comes of a text that says nothing of health with %j',
    (unseen) => {
      expect(triageOf(hearClauses('see attached'), { unseen }).triage_level).toBe('RED');
    },
  );
});

describe('The text of a triage with a danger that depends on what was not stated', () => {
  const requiring = (only: Condition['only']) =>
    aKnowledge({
      findings: [
        aFinding('belt-pain'),
        aFinding('pregnant', { kind: 'circumstance', ask: inAll('whether there is a pregnancy') }),
      ],
      conditions: [
        aCondition('belt-rupture', {
          base: 0,
          findings: { 'belt-pain': 2 },
          mustNotMiss: true,
          urgent: 1,
          ...(only !== undefined && { only }),
        }),
      ],
    });
  const inPain = aHeard({ findings: { 'belt-pain': 'present' } });

  it.each([
    [
      'en',
      'Urgent until it is known: whether there is a pregnancy.',
      'to be asked or tested: whether there is a pregnancy.',
    ],
    ['es', 'Urgente mientras no se sepa: whether', 'hay que preguntarlo o comprobarlo: whether'],
    ['pt', 'Urgente enquanto não se souber: whether', 'precisa ser perguntado ou testado: whether'],
  ] as const)('says in %s what has to be known, and names no such disease', (language, why, next) => {
    const knowledge = requiring({ oneOf: ['pregnant'], shownBy: [] });
    const answer = buildDiagnosis({ knowledge, facts: inPain, unseen: nothing, language });
    expect(answer).toMatchObject({
      diagnosis: { diseases: [] },
      triage: {
        triage_level: 'RED',
        triage_justification: expect.stringContaining(why),
        triage_recommendation: expect.stringContaining(next),
      },
    });
    expect(JSON.stringify(answer)).not.toContain('belt rupture');
  });

  it('asks for the age if the condition is one of children', () => {
    const knowledge = requiring({ ages: { from: 0, to: 5 }, oneOf: [], shownBy: [] });
    const { triage } = buildDiagnosis({ knowledge, facts: inPain, unseen: nothing, language: 'en' });
    expect(triage.triage_justification).toContain('Urgent until it is known: the age of the patient.');
  });
});

describe('The text of a triage that is not urgent', () => {
  it('says that no danger sign was found in the text, and what would make it urgent', () => {
    const triage = triageOf(hearClauses('chest pain, no sweating'));
    expect(triage.triage_level).toBe('WHITE');
    expect(triage.triage_justification).toContain('found no danger sign among what was written');
    expect(triage.triage_recommendation).toContain('It becomes urgent with: chest pain with sweating; coughing blood;');
  });

  it('names only warning signs that this patient can have', () => {
    const knowledge = aKnowledge({
      findings: [aFinding('pain'), aFinding('pregnant'), aFinding('swelling'), aFinding('fainting')],
      conditions: [aCondition('it', { findings: { pain: 0.5, fainting: 1 }, needs: ['pain'] })],
      dangers: [
        { all: ['pain', 'swelling'], ages: { from: 0, to: 10 }, why: inAll('Pain of a child') },
        { all: ['pain', 'pregnant'], why: inAll('Pain in pregnancy') },
        { all: ['pain', 'swelling'], why: inAll('Pain with swelling') },
        { all: ['pain', 'fainting'], why: inAll('Pain with fainting') },
      ],
    });
    const facts = aHeard({ person: { sex: 'male', ageYears: 40 }, findings: { pain: 'present' } });
    const { triage } = buildDiagnosis({ knowledge, facts, unseen: nothing, language: 'en' });
    expect(triage.triage_recommendation).toContain(
      'It becomes urgent with: pain with fainting; pain with swelling; or if it gets worse quickly.',
    );
  });

  it('names no danger of which only a circumstance is present, unless a condition needs the rest', () => {
    const knowledge = aKnowledge({
      findings: [
        aFinding('pain'),
        aFinding('recent', { kind: 'circumstance' }),
        aFinding('rash'),
        aFinding('fainting'),
      ],
      conditions: [aCondition('it', { findings: { pain: 0.5, fainting: 1 }, needs: ['pain'] })],
      dangers: [
        { all: ['recent', 'rash'], why: inAll('A rash of today') },
        { all: ['recent', 'fainting'], why: inAll('Fainting of today') },
      ],
    });
    const facts = aHeard({ findings: { pain: 'present', recent: 'present' } });
    const { triage } = buildDiagnosis({ knowledge, facts, unseen: nothing, language: 'en' });
    expect(triage.triage_recommendation).toContain(
      'It becomes urgent with: fainting of today; or if it gets worse quickly.',
    );
  });

  it('names general dangers if there is no candidate', () => {
    expect(triageOf(aHeard({ findings: { fever: 'absent' } }), { language: 'pt' })).toMatchObject({
      triage_level: 'WHITE',
      triage_justification: expect.stringContaining('não encontraram sinais de alarme'),
      triage_recommendation: expect.stringContaining('falta de ar, dor no peito, desmaio'),
    });
  });

  it('says that there is no health content', () => {
    const facts = hearClauses('The train leaves at nine');
    expect(buildDiagnosis({ knowledge: LUNGS, facts, unseen: nothing, language: 'es' })).toEqual({
      diagnosis: { diseases: [] },
      triage: {
        triage_level: 'WHITE',
        triage_justification: expect.stringContaining('No se encontró contenido de salud'),
        triage_recommendation: expect.stringContaining('Pasa a ser urgente si aparece: dificultad para respirar'),
      },
    });
  });

  it('says which files were not read beside the text', () => {
    const triage = triageOf(hearClauses('cough'), { unseen: { images: 1, parts: 2 } });
    expect(triage.triage_level).toBe('WHITE');
    expect(triage.triage_justification).toContain('did not see: 1 image, 2 PDFs in parts.');
  });

  it('names findings that did not count: of relatives and of the past', () => {
    const facts = { ...hearClauses('cough'), family: ['coughing-blood'], past: ['recent-surgery', 'calf-pain'] };
    expect(triageOf(facts)).toMatchObject({
      triage_level: 'WHITE',
      triage_justification: expect.stringContaining(
        'Mentioned of relatives and not counted: coughing blood. Mentioned of earlier times and not counted: calf pain, recent surgery.',
      ),
    });
  });
});

describe('The text of a triage that is urgent as a precaution', () => {
  const feared = aHeard({ findings: { 'chest-pain': 'present', 'calf-pain': 'present' } });

  it.each([
    ['en', 'too much of what this may be is dangerous: Pulmonary embolism.', 'has to look at the original now'],
    ['es', 'demasiado de lo que esto puede ser es peligroso: Embolia pulmonar.', 'debe mirar el original ahora'],
    [
      'pt',
      'uma parte grande demais do que isto pode ser é perigosa: Embolia pulmonar.',
      'precisa ver o original agora',
    ],
  ] as const)('says in %s what is feared, and whom it needs', (language, why, next) => {
    expect(triageOf(feared, { language })).toMatchObject({
      triage_level: 'RED',
      triage_justification: expect.stringContaining(why),
      triage_recommendation: expect.stringContaining(next),
    });
  });

  it.each([
    ['en', 'these rules know nothing that explains: sweating.'],
    ['es', 'estas reglas no conocen nada que explique: sudoración (“sweating”)'],
    ['pt', 'estas regras não conhecem nada que explique: sudorese (“sweating”)'],
  ] as const)('says in %s what nothing explains', (language, why) => {
    const { triage_level, triage_justification } = triageOf(hearClauses('sweating'), { language });
    expect(triage_level).toBe('RED');
    expect(triage_justification.replace(/[«»]/g, (mark) => (mark === '«' ? '“' : '”'))).toContain(why);
  });

  it.each([
    ['en', 'recognised nothing in it that they could weigh, so that an emergency cannot be excluded'],
    ['es', 'no reconocieron en él nada que pudieran valorar, de modo que no se puede descartar una urgencia'],
    ['pt', 'não reconheceram nele nada que pudessem avaliar, de modo que uma emergência não pode ser excluída'],
  ] as const)('says in %s that nothing was recognised', (language, why) => {
    expect(triageOf(aHeard(), { language })).toMatchObject({
      triage_level: 'RED',
      triage_justification: expect.stringContaining(why),
    });
  });
});

describe('Every text of a triage', () => {
  it('says once that rules made it, and never promises that all is well', () => {
    const unseen = fc.record({ images: fc.nat(2), documents: fc.nat(2), parts: fc.nat(2) });
    const language = fc.constantFrom(...LANGUAGES);
    fc.assert(
      fc.property(anyKnowledge, anyHeard, unseen, language, (knowledge, facts, notSeen, inLanguage) => {
        const findings = new Map([...facts.findings].map(([id, one]) => [id, { ...one, quote: 'words' }]));
        const parts = { knowledge, facts: { ...facts, findings }, unseen: notSeen, language: inLanguage };
        const { triage_justification, triage_recommendation } = buildDiagnosis(parts).triage;
        expect(triage_justification.split(RULES[inLanguage])).toHaveLength(2);
        expect(`${triage_justification} ${triage_recommendation}`).not.toMatch(PROMISES);
      }),
    );
  });
});
