import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../src/domain/language.ts';
import { noteOf, type SpokenTurns, sectionsOf } from './talks.ts';

const START: Readonly<Record<Language, SpokenTurns>> = {
  en: [
    [0, 'What brings you in today?'],
    [1, 'I have had a cough for three days.'],
    [0, 'Lungs are clear. Temperature 37.1.'],
    [0, 'I think this is a viral infection. I will give you paracetamol, 500 milligrams.'],
  ],
  es: [
    [0, '¿Qué le pasa?'],
    [1, 'Tengo tos desde hace tres días.'],
    [0, 'Los pulmones están limpios. Temperatura 37,1.'],
    [0, 'Es una infección viral. Le doy paracetamol, 500 miligramos.'],
  ],
  pt: [
    [0, 'O que houve?'],
    [1, 'Estou com tosse há três dias.'],
    [0, 'Os pulmões estão limpos. Temperatura 37,1.'],
    [0, 'É uma infecção viral. Vou passar paracetamol, 500 miligramas.'],
  ],
};

const noteAfter = (language: Language, ...turns: SpokenTurns) =>
  sectionsOf(noteOf([...START[language], ...turns], { language }));

describe('The plan of an extract', () => {
  it.each<[Language, string]>([
    ['en', 'You are welcome to ring the desk about the results.'],
    ['en', 'If the temperature goes over 39, or the chest hurts, that means hospital.'],
    ['en', 'The target is a pressure below 130.'],
    ['en', 'See you tomorrow, and I will listen to it again.'],
    ['es', 'Toque el timbre enseguida.'],
    ['es', 'Si la temperatura pasa de 39, o le duele el pecho, venga.'],
    ['es', 'El objetivo son cuatro kilos menos en tres meses.'],
    ['es', 'Mañana temprano lo vuelvo a ver.'],
    ['pt', 'Avisa a recepção quando sair.'],
    ['pt', 'Se a glicose passar de 300, procure o posto no mesmo dia.'],
    ['pt', 'A meta é menos de 130 em jejum.'],
    ['pt', 'Depois do ultrassom a gente conversa de novo, em uma hora.'],
  ])(
    'has what the clinician says once it has begun, and no section of findings has it (%s: %s)',
    (language, sentence) => {
      const { PLAN = '', OBJECTIVE } = noteAfter(language, [0, sentence]);
      expect(PLAN).toContain(sentence);
      expect(OBJECTIVE).toBe(
        { en: 'Lungs are clear. Temperature 37.1.', es: START.es[2]?.[1], pt: START.pt[2]?.[1] }[language],
      );
    },
  );

  it.each<[Language, string]>([
    ['en', 'Your pulse is 88.'],
    ['es', 'El pulso es de 88.'],
    ['pt', 'O pulso é de 88.'],
  ])('has no finding that is named in it (%s)', (language, finding) => {
    const { PLAN = '', OBJECTIVE = '' } = noteAfter(language, [0, finding]);
    expect(OBJECTIVE).toContain(finding);
    expect(PLAN).not.toContain(finding);
  });

  it.each<[Language, string, string]>([
    ['en', 'Can I drink wine with that?', 'A glass.'],
    ['es', '¿Y puedo tomar vino?', 'Una copa.'],
    ['pt', 'E vinho, posso?', 'Uma taça.'],
  ])('has a short answer with the question that it answers (%s)', (language, question, answer) => {
    expect(noteAfter(language, [1, question], [0, answer])['PLAN']).toContain(`“${question}” ${answer}`);
  });

  it.each<[Language, string]>([
    ['en', 'No more ibuprofen, all right?'],
    ['es', 'El ibuprofeno ya no lo tome, ¿de acuerdo?'],
    ['pt', 'O ibuprofeno eu não quero mais, viu?'],
  ])('has an order that ends like a question (%s)', (language, order) => {
    expect(noteAfter(language, [0, order])['PLAN']).toContain(order);
  });

  it('has the answer "no" to a question about a drug, also if a remark is behind the question', () => {
    const { PLAN = '' } = noteAfter(
      'pt',
      [1, 'E anti-inflamatório, posso? Eu tomo para as costas.'],
      [0, 'Não, esses não.'],
    );
    expect(PLAN).toContain('“E anti-inflamatório, posso?” Não, esses não.');
  });

  it('has a judgement that decides, as the assessment has', () => {
    const sentence = 'Es una neumonía, y por la edad se tiene que quedar.';
    const sections = noteAfter('es', [0, sentence]);
    expect(sections['ASSESSMENT']).toContain(sentence);
    expect(sections['PLAN']).toContain(sentence);
  });

  it('has a warning before any plan, and the value in it is no finding', () => {
    const talk: SpokenTurns = [
      [0, 'What brings you in today?'],
      [1, 'My tooth hurts.'],
      [0, 'If your temperature goes over 38, come back.'],
    ];
    const { PLAN, OBJECTIVE } = sectionsOf(noteOf(talk));
    expect(PLAN).toBe('If your temperature goes over 38, come back.');
    expect(OBJECTIVE).toBe('Not discussed.');
  });
});

describe('A remark on a relative', () => {
  it('stays with what follows it, also if only the remark names the relative', () => {
    const talk: SpokenTurns = [
      [0, 'What brings you in?'],
      [1, 'I feel anxious, I have chest pain at night.'],
      [0, 'You told me that your mother was anxious as well.'],
      [1, 'She took diazepam for twenty years.'],
    ];
    const { SUBJECTIVE = '' } = sectionsOf(noteOf(talk));
    expect(SUBJECTIVE).toContain('your mother was anxious as well. “She took diazepam for twenty years.”');
  });

  it.each<[Language, string, string, string]>([
    ['en', 'Anyone in the family with diabetes?', 'My father had a stroke. Was on warfarin for years.', 'warfarin'],
    ['es', '¿Alguien en la familia con diabetes?', 'Mi padre tuvo un infarto. Tomaba warfarina.', 'warfarina'],
    ['pt', 'Alguém na família com diabetes?', 'Meu pai teve um infarto. Tomava varfarina.', 'varfarina'],
  ])('keeps the drug of the relative in the same line (%s)', (language, question, answer, drug) => {
    const sections = Object.values(noteAfter(language, [0, question], [1, answer]));
    const lines = sections.flatMap((text) => text.split('\n')).filter((line) => line.includes(drug));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/father|padre|pai/);
  });
});

describe('A number without a word of what it measures', () => {
  it('is not of the relative that was named before the clinician spoke', () => {
    const talk: SpokenTurns = [
      [0, 'How is your appetite?'],
      [1, 'I eat. I lost two kilos. My sister had cancer and was in hospital.'],
      [0, 'We had agreed that you would walk with your neighbour.'],
      [1, 'I did. Three days.'],
    ];
    const lines = Object.values(sectionsOf(noteOf(talk))).flatMap((text) => text.split('\n'));
    const [line, ...others] = lines.filter((one) => one.includes('Three days'));
    expect(others).toEqual([]);
    expect(line).not.toContain('sister');
  });

  it('corrects what a companion said just before', () => {
    const talk: SpokenTurns = [
      [0, 'What do you take for your knee?'],
      [1, 'I take ibuprofen, I buy it myself.'],
      [2, 'He takes too many, he takes six, he told him and me.'],
      [1, 'Four.'],
      [0, 'Blood pressure 128 over 76.'],
    ];
    expect(sectionsOf(noteOf(talk))['SUBJECTIVE']).toMatch(/six[^\n]*“Four\.”/);
  });
});

describe('An answer that is corrected', () => {
  it('keeps the doubt between the two answers', () => {
    const [complaint, answer, ...rest] = START.es;
    const asked: SpokenTurns = [
      [0, '¿Qué día es hoy?'],
      [1, 'Martes. ¿No? Bueno, jueves.'],
    ];
    const talk = [complaint, answer, ...asked, ...rest].flatMap((turn) => (turn === undefined ? [] : [turn]));
    expect(sectionsOf(noteOf(talk, { language: 'es' }))['SUBJECTIVE']).toContain('“Martes. ¿No? Jueves.”');
  });
});

describe('A talk of a few turns', () => {
  it.each<[Language, SpokenTurns]>([
    [
      'en',
      [
        [0, 'Sorry to come back, I forgot one. I also take loratadine, 10 milligrams.'],
        [1, 'Good that you tell me. Since when?'],
        [0, 'Since last week.'],
        [1, 'Keep taking the loratadine. Come back if you get a high fever.'],
      ],
    ],
    [
      'pt',
      [
        [0, 'Doutora, esqueci de uma coisa. Eu também tomo omeprazol, 20 miligramas.'],
        [1, 'Que bom que falou. Continue com o omeprazol.'],
        [0, 'E a dor no ombro está um pouco menor, com o gelo.'],
        [1, 'Ótimo. Mantenha o gelo e a fisioterapia. Se tiver febre, volte antes.'],
      ],
    ],
  ])('has the dose of the patient as told, and the order as plan (%s)', (language, talk) => {
    const { SUBJECTIVE = '', PLAN = '' } = sectionsOf(noteOf(talk, { language }));
    expect(SUBJECTIVE).toMatch(/“[^”]*(10 milligrams|20 miligramas)/);
    expect(PLAN).toMatch(/^(Keep taking the loratadine|Continue com o omeprazol)/);
    expect(PLAN).toMatch(/high fever|Mantenha o gelo e a fisioterapia\. Se tiver febre/);
  });
});

describe('Words before the visit begins', () => {
  it('are no complaint, also if one of them is a part of the body', () => {
    const talk: SpokenTurns = [
      [0, 'Did you find us all right?'],
      [1, 'The sat nav sent me round the back of the hospital.'],
      [0, "So what's going on?"],
      [1, 'I get headaches twice a month.'],
    ];
    const sections = sectionsOf(noteOf(talk, { template: 'MULTIPLE_SECTIONS' }));
    expect(sections['CHIEF_COMPLAINT']).toContain('headaches');
    expect(JSON.stringify(sections)).not.toContain('sat nav');
  });
});

describe('A section without a statement', () => {
  it('names the section that has statements of its kind', () => {
    const talk: SpokenTurns = [
      [0, 'What brings you in today?'],
      [1, 'I have had a cough for three days.'],
      [0, 'I will give you doxycycline, 100 milligrams a day.'],
    ];
    const sections = sectionsOf(noteOf(talk, { template: 'CHEDDAR' }));
    expect(sections['DECISION']).toBe('Nothing of its own: see Action.');
    expect(sections['EXAMINATION']).toBe('Not discussed.');
  });

  it('says that nothing was discussed if nothing of its kind is in the note', () => {
    const talk: SpokenTurns = [
      [0, 'What brings you in today?'],
      [1, 'I have had a cough for three days.'],
    ];
    const sections = sectionsOf(noteOf(talk, { template: 'CHEDDAR' }));
    for (const key of ['EXAMINATION', 'DIFFERENTIAL', 'DECISION', 'ACTION', 'REVIEW'])
      expect(sections[key]).toBe('Not discussed.');
  });
});

describe('A handover', () => {
  it('has orders as recommendations, and no value of a condition as measured', () => {
    const talk: SpokenTurns = [
      [0, 'La paciente de la cama doce está confusa desde las cuatro. Tensión 104 con 58.'],
      [1, 'Ponle oxígeno. Y sóndala, por favor.'],
      [1, 'Si baja de noventa la sistólica, avisas a la UCI.'],
    ];
    const { RECOMMENDATION = '', ASSESSMENT = '' } = sectionsOf(noteOf(talk, { template: 'SBAR', language: 'es' }));
    expect(RECOMMENDATION).toContain('sóndala');
    expect(RECOMMENDATION).toContain('Si baja de noventa');
    expect(ASSESSMENT).toContain('Tensión 104 con 58.');
    expect(ASSESSMENT).not.toContain('noventa');
  });
});
